internal import Audio
internal import Control
internal import JSON
internal import Linux

/// The commands that control the sounds of the player.
enum SoundCommands {
  private static let sound = Operand<SoundText>(
    .optional, named: "NAME", completing: .names(.controlledSounds),
    summary: ImpliedName.summary("sound"))
  /// The same operand, for a command that usually applies to a sound of the player. Completion
  /// offers only the sounds of the player.
  private static let played = Operand<SoundText>(
    .optional, named: "NAME", completing: .names(.playedSounds),
    summary: ImpliedName.summary("sound"))
  private static let position = Operand<Duration>(
    .one, named: "TIME", summary: "Position from the beginning, such as 1:30")
  private static let volume = Operand<Volume>(
    .one, summary: "Volume from 0.0 to 1.0, such as 0.5, 50% or -6dB")
  private static let all = Flag("all", short: "a", summary: "Act on all sounds")
  private static let device = Option<DeviceText>(
    "device", short: "d", summary: "Playback device to act on")
  private static let fade = Option<Duration>("fade", summary: "Time to reach the new volume")

  static var rows: [CommandRow] { transport + settings }

  /// The commands that change the state or the position of a sound.
  private static var transport: [CommandRow] {
    [
      row(.stop) {
        page(
          $0, "Stop a sound and keep its position",
          "Silences the sound at once; \"recorder sound resume\" continues from the same frame. "
            + "A \"recorder play\" that waits for the sound exits with 17. Repeating is harmless.",
          operands: [played], options: [all, device],
          examples: [
            Example("recorder sound stop umbrella", "Stop the sound \"umbrella\""),
            Example("recorder sound stop --all", "Stop all sounds"),
          ])
      },
      row(.pause) {
        page(
          $0, "Pause a sound",
          "Like stop, but a \"recorder play\" that waits for the sound keeps waiting. A sound that "
            + "is not playing is left alone.",
          operands: [played], options: [all, device],
          examples: [Example("recorder sound pause", "Pause the only sound")])
      },
      row(.resume) {
        page(
          $0, "Resume a paused or stopped sound",
          "Continues from the same frame. A sound that is playing, or was played to its end, is left "
            + "alone.",
          operands: [played], options: [all, device],
          examples: [Example("recorder sound resume umbrella", "Resume the sound \"umbrella\"")])
      },
      row(.rewind) {
        page(
          $0, "Rewind a sound to its beginning",
          "A playing sound continues from the beginning. A sound that is not playing does not start.",
          operands: [played],
          examples: [Example("recorder sound rewind umbrella", "Rewind the sound \"umbrella\"")])
      },
      row(.replay) {
        page(
          $0, "Play a sound again from its beginning",
          "Works in every state of the sound, and does not wait for its end.",
          examples: [Example("recorder sound replay done", "Play the sound \"done\" once more")])
      },
      row(.seek) {
        page(
          $0, "Move to a position in a sound",
          "A playing sound continues from there. A position past the end is the end.",
          operands: [played, position],
          examples: [
            Example("recorder sound seek talk.mp3 1:30", "Continue at a minute and a half"),
            Example("recorder sound seek 0:10", "The same for the only sound"),
          ])
      } more: { arguments in
        ["to": (arguments[position].first ?? .zero).json]
      },
    ]
  }

  /// The commands whose effect is remembered, and the command that prepares the next play.
  private static var settings: [CommandRow] {
    [
      row(.volume) {
        page(
          $0, "Set the volume of a sound",
          "Applies to a playing sound immediately, and to every later play. The volume is remembered, "
            + "even after the player has ended.",
          operands: [sound, volume], options: [fade, device],
          examples: [
            Example("recorder sound volume umbrella 0.5", "Half volume"),
            Example("recorder sound volume umbrella 0 --fade 3s", "Fade out within 3 s"),
          ])
      } more: { arguments in
        [
          "volume": (arguments[volume].first ?? .full).factor.json,
          "fade": (arguments[fade] ?? .zero).json,
        ]
      },
      row(.mute) {
        page(
          $0, "Mute a sound",
          "A playing sound continues silently; a later play does nothing and exits with 0. This is "
            + "remembered, even after the player has ended.",
          examples: [Example("recorder sound mute done", "Mute the sound \"done\"")])
      },
      row(.unmute) {
        page(
          $0, "Unmute a sound",
          "The sound has the same volume as before it was muted.",
          examples: [Example("recorder sound unmute done", "Unmute the sound \"done\"")])
      },
      row(.prepare) {
        page(
          $0, "Prepare a sound to start without delay",
          "Reads and decodes the sound and opens the device, but plays nothing.",
          examples: [Example("recorder sound prepare done", "Prepare the sound \"done\"")])
      },
    ]
  }

  /// Returns the row of a verb.
  ///
  /// - Parameter more: returns the members of the request besides the sound.
  private static func row(
    _ verb: PlayerVerb, _ describe: @escaping @Sendable ([String]) -> Command,
    more: @escaping @Sendable (Arguments) -> JSONObject = { _ in [:] }
  ) -> CommandRow {
    CommandRow(["sound", verb.rawValue], describe) { arguments, console in
      let answer = try report(on: verb, arguments, more(arguments))
      if verb == .seek { answer.remark(on: arguments[position].first ?? .zero, console) }
      return answer
    }
  }

  private static func page(
    _ words: [String], _ summary: String, _ details: String,
    operands: [any TableOperand] = [sound], options: [any TableOption] = [device],
    examples: [Example]
  ) -> Command {
    Command(
      words, section: .sounds, summary: summary, details: [details], operands: operands,
      options: [OptionGroup("Options", options)], examples: examples,
      ends: [.notFound, .device, .notASound])
  }
}

// MARK: - The request to the player

extension SoundCommands {
  /// The commands that succeed without an effect if the sound is already in the requested state.
  private static let idempotent: Set<PlayerVerb> = [.stop, .pause, .resume]

  /// The commands that also apply to a sound that is not playing.
  private static let remembered: Set<PlayerVerb> = [.volume, .mute, .unmute]

  /// Sends a verb to the player, and returns the report. The player is started only if a sound is
  /// named.
  private static func report(
    on verb: PlayerVerb, _ arguments: Arguments, _ more: JSONObject
  ) throws -> SoundStatusReport {
    // A wrong setting must not prevent a sound from being stopped.
    let configuration = arguments[sound].isEmpty ? nil : Configuration.asFarAsGood()
    let opened = configuration.map { arguments[device]?.value ?? $0.playbackDevice }
    var members = try members(arguments, opened)
    members.set("usualVolume", configuration?[Settings.volume]?.factor)
    for member in more.members { members[member.key] = member.value }
    guard let opened else {
      guard var client = try PlayerClient.running() else { return try nothing(for: verb) }
      if !arguments[all] {
        let sounds = try SoundStatusReport(client.ask(.status)).sounds
        guard let name = try implied(by: verb, among: sounds, on: arguments[device]?.value) else {
          return try nothing(for: verb)
        }
        members.set("name", name)
      }
      return try report(client.ask(verb, members), of: verb)
    }
    var client = try PlayerClient.started(opening: opened)
    do {
      var report = try report(client.ask(verb, members), of: verb)
      if remembered.contains(verb) { report.nothing = "Remembered for the next play." }
      return report
    } catch {
      throw Failure(explaining: error).advising(file: arguments[sound].first?.value)
    }
  }

  /// Returns the report of a verb's effect.
  private static func report(
    _ answer: JSONObject, of verb: PlayerVerb
  ) throws -> SoundStatusReport {
    var report = try SoundStatusReport(answer)
    report.showsVolume = remembered.contains(verb)
    return report
  }

  /// Returns the members of a request that name the sound, the device and the environment.
  ///
  /// - Parameter usual: the device for a sound that was not played yet.
  private static func members(_ arguments: Arguments, _ usual: String?) throws -> JSONObject {
    let typed = arguments[sound].first?.value
    let name = typed.map(name)
    guard name == nil || !arguments[all] else {
      throw Failure(.usage, "--all and NAME cannot be combined", advice: "remove one of them")
    }
    var environment = try PlayerEnvironment.current()
    if let usual { environment[PlayOrder.deviceVariable] = usual }
    var members: JSONObject = ["environment": environment.object]
    members.set("name", name)
    if let name, name.begins(with: "/") {
      let file = PlayCommand.file(at: name)
      members.set("raw", file.raw)
      members.set("mix", file.mix)
    }
    members.set("device", arguments[device]?.value)
    return members
  }

  /// Returns the name that the player uses for a sound: its name in the library, or the absolute
  /// path of a file.
  static func name(_ typed: String) -> String { WantedSound(named: typed).name }

  private static func nothing(for verb: PlayerVerb) throws -> SoundStatusReport {
    guard !idempotent.contains(verb) else { return SoundStatusReport(sounds: []) }
    throw Failure(.notFound, "no sound was played recently", advice: "give the name of a sound")
  }

  /// Returns the only sound that a command without a name can apply to, or nil if there is none.
  /// Throws if there are several.
  private static func implied(
    by verb: PlayerVerb, among sounds: [SoundStatus], on device: String?
  ) throws -> String? {
    let there = sounds.filter { sound in
      device.map { sound.output.isSameName(as: $0) } ?? true
    }
    let states: Set<PlaybackState> =
      switch verb {
      case .pause: [.playing]
      case .resume: [.paused, .stopped]
      default: [.playing, .paused]
      }
    let active = there.filter { states.contains($0.state) || $0.queued > 0 }
    let meant = active.isEmpty && !idempotent.contains(verb) ? there : active
    let names = Set(names: meant.map(\.name)).map(\.text).sorted()
    return try ImpliedName.only(names, "sound", called: { $0 }, all: idempotent.contains(verb))
  }
}
