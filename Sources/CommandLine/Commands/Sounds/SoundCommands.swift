internal import Control
internal import JSON
internal import Linux

/// The commands that play, control and manage sounds.
enum PlayingCommands {
  static var all: [any Carrier.Type] {
    [
      PlayCommand.self, SoundStopCommand.self, SoundPauseCommand.self, SoundResumeCommand.self,
      SoundRewindCommand.self, SoundReplayCommand.self, SoundSeekCommand.self,
      SoundVolumeCommand.self, SoundMuteCommand.self, SoundUnmuteCommand.self,
      SoundPrepareCommand.self, SoundStatusCommand.self,
    ]
  }

  /// The commands that the engine carries out, because they read sound files.
  static var library: [any CommandDefinition.Type] {
    [
      SoundListCommand.self, SoundInfoCommand.self, SoundAddCommand.self, SoundRemoveCommand.self,
    ]
  }
}

/// The operand and options that select a command's sound.
enum SoundTarget {
  static let operand = Operand<Text>(.optional, named: "NAME", summary: Meant.summary("sound"))
  static let all = Flag("all", short: "a", summary: "Every sound")
  static let device = Option<DeviceText>("device", short: "d", summary: "The output to act on")

  /// The request's members that name the sound, the device and the environment.
  static func members(_ arguments: Arguments) throws(Failure) -> JSONObject {
    let typed = arguments[operand].first?.value
    let name = try typed.map(name)
    guard name == nil || !arguments[all] else {
      throw Failure(.usage, Message("--all takes no NAME"))
    }
    var members: JSONObject = ["environment": try PlayerSurroundings.environment().object]
    members.set("name", name)
    members.set("device", arguments[device]?.value)
    return members
  }

  /// The sound's name as the player knows it: a name of the library as it is, a file by its
  /// absolute path.
  static func name(_ typed: String) throws(Failure) -> String {
    guard typed.utf8.contains(UInt8(ascii: "/")) else { return typed }
    do throws(SystemError) {
      let whole = typed.begins(with: "/") ? typed : try Program.workingDirectory() + "/" + typed
      let parts = whole.pathNames.filter { $0 != "." }
      return "/" + parts.joined(separator: "/")
    } catch {
      throw Failure(.failed, Message("cannot tell where this is: \(error)"))
    }
  }

  /// Sends a verb to the player, which is started only if a sound is named.
  static func tell(
    _ verb: String, _ arguments: Arguments, _ more: JSONObject = [:]
  ) throws(Failure) -> any Report {
    var members = try members(arguments)
    for member in more.members { members[member.key] = member.value }
    if members["name"] == nil {
      guard var link = try PlayerLink.running() else { return try nothing(for: verb) }
      if !arguments[all] {
        let sounds = try SoundStatusReport(link.ask("status")).sounds
        guard let name = try meant(by: verb, among: sounds, on: arguments[device]?.value) else {
          return try nothing(for: verb)
        }
        members.set("name", name)
      }
      return try SoundStatusReport(link.ask(verb, members))
    }
    var link = try PlayerLink.started(opening: arguments[device]?.value ?? "default")
    var report = try SoundStatusReport(link.ask(verb, members))
    if remembered.contains(verb) { report.nothing = "Remembered for the next play." }
    return report
  }
}

extension SoundTarget {
  /// The commands that succeed with nothing to do, because the state is already the wanted one.
  private static let idempotent: Set<String> = ["stop", "pause", "resume"]

  /// The commands that also apply to a sound that does not play.
  private static let remembered: Set<String> = ["volume", "mute", "unmute"]

  private static func nothing(for verb: String) throws(Failure) -> SoundStatusReport {
    guard !idempotent.contains(verb) else { return SoundStatusReport(sounds: []) }
    throw Failure(
      .notFound, Message("no sound was played lately", advice: "give the name of a sound"))
  }

  /// The only sound that a command without a name can apply to; nil if there is none.
  private static func meant(
    by verb: String, among sounds: [SoundStatus], on device: String?
  ) throws(Failure) -> String? {
    let there = sounds.filter { device == nil || $0.output == device }
    let states: Set<SoundStatus.State> =
      switch verb {
      case "pause": [.playing]
      case "resume": [.paused, .stopped]
      default: [.playing, .paused]
      }
    let active = there.filter { states.contains($0.state) || $0.queued > 0 }
    let meant = active.isEmpty && !idempotent.contains(verb) ? there : active
    let names = Set(meant.map(\.name)).sorted()
    return try Meant.only(names, "sound", called: { $0 }, all: idempotent.contains(verb))
  }
}

/// The command `sound stop`, which stops a sound and keeps its position.
enum SoundStopCommand: Carrier {
  static var words: [String] { ["sound", "stop"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Stop a sound, which keeps its place",
      details: [
        "Silent at once. \"recorder sound resume\" goes on from the very frame. A play that waits for the sound exits with 17. Repeating it is harmless."
      ],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.all, SoundTarget.device])],
      examples: [
        Example("recorder sound stop umbrella", "Stop the sound umbrella"),
        Example("recorder sound stop --all", "Stop every sound"),
      ],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("stop", arguments)
  }
}

/// The command `sound pause`, which pauses a sound.
enum SoundPauseCommand: Carrier {
  static var words: [String] { ["sound", "pause"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Pause a sound",
      details: [
        "Like stop, but what waits for the sound goes on waiting. What does not play is left as it is."
      ],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.all, SoundTarget.device])],
      examples: [Example("recorder sound pause", "Pause the only sound")],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("pause", arguments)
  }
}

/// The command `sound resume`, which continues a sound from its position.
enum SoundResumeCommand: Carrier {
  static var words: [String] { ["sound", "resume"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Resume a paused or stopped sound",
      details: [
        "Goes on at the very frame. What plays already, or was played to its end, is left as it is."
      ],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.all, SoundTarget.device])],
      examples: [Example("recorder sound resume umbrella", "Go on with the sound umbrella")],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("resume", arguments)
  }
}

/// The command `sound rewind`, which seeks to a sound's beginning.
enum SoundRewindCommand: Carrier {
  static var words: [String] { ["sound", "rewind"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Go to the beginning of a sound",
      details: ["What plays goes on from the beginning; what is silent stays silent."],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.device])],
      examples: [Example("recorder sound rewind umbrella", "From the beginning")],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("rewind", arguments)
  }
}

/// The command `sound replay`, which plays a sound from its beginning again.
enum SoundReplayCommand: Carrier {
  static var words: [String] { ["sound", "replay"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Play a sound again from its beginning",
      details: ["Whatever it does now; does not wait for the end."],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.device])],
      examples: [Example("recorder sound replay done", "Once more")],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("replay", arguments)
  }
}

/// The command `sound seek`, which seeks to a position in a sound.
enum SoundSeekCommand: Carrier {
  static var words: [String] { ["sound", "seek"] }

  static let place = Operand<Duration>(
    .one, named: "TIME", summary: "How far from the beginning, such as 1:30")

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Go to a place in a sound",
      details: ["What plays goes on from there; past the end is the end."],
      operands: [SoundTarget.operand, place],
      options: [OptionGroup("Options", [SoundTarget.device])],
      examples: [
        Example("recorder sound seek talk.mp3 1:30", "On from a minute and a half"),
        Example("recorder sound seek 0:10", "The same for the only sound"),
      ],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("seek", arguments, ["to": (arguments[place].first ?? .zero).json])
  }
}

/// The command `sound volume`, which sets a sound's volume.
enum SoundVolumeCommand: Carrier {
  static var words: [String] { ["sound", "volume"] }

  static let volume = Operand<Volume>(.one, summary: "Volume: 0.0 to 1.0, or -6dB")
  static let fade = Option<Duration>("fade", summary: "Time of the change")

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Set the volume of a sound",
      details: [
        "At once where it plays, and for every later play. This is remembered, also after the "
          + "player ended."
      ],
      operands: [SoundTarget.operand, volume],
      options: [OptionGroup("Options", [fade, SoundTarget.device])],
      examples: [
        Example("recorder sound volume umbrella 0.5", "Half as loud"),
        Example("recorder sound volume umbrella 0 --fade 3s", "Let it fade away"),
      ],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let factor = (arguments[volume].first ?? .full).factor
    let fade = arguments[fade] ?? .zero
    return try SoundTarget.tell("volume", arguments, ["volume": factor.json, "fade": fade.json])
  }
}

/// The command `sound mute`, which mutes a sound.
enum SoundMuteCommand: Carrier {
  static var words: [String] { ["sound", "mute"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Mute a sound",
      details: [
        "A sound that plays goes on without being heard; a play of it later does nothing and exits with 0. This is remembered, also after the player ended."
      ],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.device])],
      examples: [Example("recorder sound mute done", "Silence the sound done from now on")],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("mute", arguments)
  }
}

/// The command `sound unmute`, which unmutes a sound.
enum SoundUnmuteCommand: Carrier {
  static var words: [String] { ["sound", "unmute"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Unmute a sound",
      details: ["The sound has the volume that it had before."],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.device])],
      examples: [Example("recorder sound unmute done", "Hear the sound done again")],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("unmute", arguments)
  }
}

/// The command `sound prepare`, which decodes a sound and opens the device before its play.
enum SoundPrepareCommand: Carrier {
  static var words: [String] { ["sound", "prepare"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Make the next play of a sound begin at once",
      details: ["Reads and decodes the sound and opens the device, and plays nothing."],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.device])],
      examples: [Example("recorder sound prepare done", "Before the moment comes")],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("prepare", arguments)
  }
}
