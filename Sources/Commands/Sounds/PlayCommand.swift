internal import Audio
internal import Control
internal import Exports
internal import JSON
internal import Linux
internal import Store

/// The command `play`, which plays sounds by name or from files.
enum PlayCommand: RunnableCommand {
  static var words: [String] { ["play"] }

  private static let sounds = Operand<SoundText>(
    .many, named: "NAME",
    summary: "Name of a sound; with a slash, path of a file; @1, the newest take; \"-\" is stdin")

  private static let ifPlaying = Option<PlayOrder.IfPlaying>(
    "if-playing", summary: "Action if NAME is already playing (default restart)")
  private static let times = Option<PlayCount>(
    "times", short: "n", summary: "Play N times")
  private static let loop = Flag("loop", short: "l", summary: "Repeat until stopped")
  private static let detach = Flag("detach", summary: "Return when the first frame is played")
  private static let cooldown = Option<Duration>(
    "cooldown", summary: "Play nothing if the last play was less than this time ago")
  private static let volume = Option<Volume>("volume", short: "v", summary: "Volume of this play")
  private static let fade = Option<Duration>("fade", summary: "Fade-in time")
  private static let leadIn = Option<Duration>(
    "lead-in", summary: "Play this much silence first if the device was idle")
  private static let track = Option<TrackName>(
    "track", summary: "Play this track of a take that has a file for each track")
  private static let device = Option<DeviceText>("device", short: "d", summary: "Playback device")

  /// Returns the arguments that select the same device for another play.
  static func deviceWords(_ arguments: Arguments) -> [String] {
    arguments[device].map { ["--device", $0.value] } ?? []
  }

  private static let rate = Option<SampleRate>(
    "rate", short: "r", summary: "Sample rate of raw samples")
  private static let channels = Option<ChannelCount>(
    "channels", short: "c", summary: "Number of channels of raw samples")
  private static let bits = Option<Bits>(
    "bits", short: "b", summary: "Sample format of raw samples")

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Play a sound",
      details: [
        "Plays from the beginning and waits for the end; several names are played in sequence. "
          + "Sounds with different names mix. Any terminal can stop, pause or rewind the sound: see "
          + "\"recorder help sound\".",
        "Ctrl-C fades out the sound of this command. If another command stops it, or plays the same "
          + "name again, the exit code is 17. A muted sound is not played, and the exit code is 0.",
        "While a file or a take is played on a terminal, a line shows the position, and keys control it: "
          + "space pauses and resumes; the left and right arrows move by 5 s; up and down change the "
          + "volume; q, Esc and Ctrl-C end the play. The volume is remembered for the file, as by "
          + "\"recorder sound volume\"; the exit code after q and Esc is 0.",
        "On a terminal, \"recorder play\" without NAME opens a list of takes to pick from: type to filter, "
          + "the arrows move, Space plays the beginning, Enter chooses, Esc cancels.",
        "A player in the background mixes the sounds of all programs of this user. It starts when "
          + "it is needed and ends by itself.",
      ],
      operands: [sounds],
      options: [
        OptionGroup("Playback", [track, ifPlaying, times, loop, detach, cooldown]),
        OptionGroup("Output", [volume, fade, leadIn, device]),
        OptionGroup("Raw samples from stdin or a file", [rate, channels, bits]),
      ],
      examples: [
        Example("recorder play done", "Play the sound \"done\" to its end"),
        Example("make; recorder play done --detach", "Play it in the background"),
        Example("recorder play ./bark.ogg --volume -6dB", "Play a file more quietly"),
        Example("recorder play @1", "Play the newest take"),
        Example("recorder play @1 --track far", "Play its track \"far\""),
        Example(
          "recorder play umbrella --loop --detach", "Loop until \"recorder sound stop umbrella\""),
        Example("espeak-ng --stdout hello | recorder play -", "Play the output of another program"),
      ],
      ends: [.notFound, .alreadyRecording, .device, .notASound, .displaced, .interrupted])
  }
}

extension PlayOrder.IfPlaying: WordValue {
  /// The name of an action after `--if-playing` in the help.
  package static var placeholder: String { "ACTION" }
}

/// The number of plays, 1 to 1,000,000.
private struct PlayCount: ArgumentValue, Hashable {
  let value: Int

  static let placeholder = "N"
  static let expectation = "a whole number from 1"

  init(argument: String) throws(ValueError) {
    guard let value = Int(argument) else { throw .malformed }
    guard (1...1_000_000).contains(value) else { throw .outOfRange("from 1 to 1000000") }
    self.value = value
  }
}

extension PlayCommand {
  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    if arguments[detach] {
      try LifeInBackground.require(
        for: "the sound",
        remedy: "leave out --detach: \"recorder play\" then waits for the end of the sound")
    }
    let spool = try spool(arguments)
    // The player opens the file through this process, which has to keep it open.
    defer { withExtendedLifetime(spool) {} }
    var order = try order(arguments, spooled: spool?.path, console)
    let client = try PlayerClient.started(opening: order.device, forLong: order.isLong)
    if spool != nil { try requireSharedProcesses() }
    order.environment = try PlayerEnvironment.current()
    guard let answer = try ask(for: order, client, console) else {
      return SilentReport(exitCode: .done)
    }
    guard let result = PlayResult(json: .object(answer)) else {
      throw PlayerClient.otherVersion
    }
    let report = PlayReport(result: result)
    for sound in result.sounds {
      // A file that is still being recorded always ends early, so it needs no warning.
      if let flaw = sound.flaw, !RecordedFile(sound.name).isPart {
        console.warn(flaw.warning(about: sound.name))
      }
    }
    for line in report.remarks(on: order) { console.note(line) }
    return report
  }

  /// Sends the order to the player and waits for the end of the play. Returns nil if the user ended
  /// the play with a key.
  private static func ask(
    for order: PlayOrder, _ client: consuming PlayerClient, _ console: Console
  ) throws -> JSONObject? {
    let terminal = PlayTerminal.open(for: order, console)
    defer { terminal?.close() }
    do {
      return try client.ask(
        .play, order.json.object ?? [:], waitingUpTo: nil, serving: terminal?.watch)
    } catch {
      // If the user has ended the play, this is no failure. The player fades out a play when its
      // client disconnects.
      if terminal?.isOver == true { return nil }
      if case ControlError.tooLong = error, order.sounds.count > 1 {
        throw Failure(
          .usage, "too many sounds for one command: \(error)",
          advice: "play some of the sounds with a second command")
      }
      let failure = Failure(explaining: error)
        .advising(file: order.sounds.count == 1 ? order.sounds[0].name : nil)
      if failure.code == .notFound, let refusal = refusal(of: order, console) { throw refusal }
      throw failure
    }
  }

  /// Returns the failure for a file that is still being recorded, was not saved, was renamed or is
  /// in the trash, or for an unknown name with the extension of a sound file. Otherwise returns
  /// nil.
  private static func refusal(of order: PlayOrder, _ console: Console) -> Failure? {
    let isOnly = order.sounds.count == 1
    for sound in order.sounds where isOnly || sound.path != nil || sound.name.hasSoundEnding {
      let path = sound.path ?? sound.name
      if let refusal = RecordedFile(path).refusal(advising: "play", "plays")
        ?? (try? TakeLookup.moved(path, console))
      {
        return refusal
      }
    }
    guard isOnly, let name = order.sounds.first?.name, name.hasSoundEnding,
      order.sounds.first?.path == nil
    else { return nil }
    return Failure(
      .notFound, "no sound or file named \(quoted(name))",
      advice: TakeLookup.suggestion(for: name)
        ?? "\"recorder takes\" lists takes and files, \"recorder sound list\" lists sounds")
  }

  /// Throws if the player runs in another container, because such a player cannot open files
  /// through this process.
  private static func requireSharedProcesses() throws {
    guard let record = try PlayerPaths(.current()).record,
      !record.host.sharesProcesses(with: .current)
    else { return }
    throw Failure(
      .failed,
      "the player runs in another container (\(quoted(record.host.name))) and cannot read "
        + "stdin from here", advice: "write it to a file in the home directory, and play that")
  }

  /// Makes the order from the arguments. Looks up takes, but opens no sound.
  private static func order(
    _ arguments: Arguments, spooled: String?, _ console: Console
  ) throws -> PlayOrder {
    let raw = try raw(arguments)
    if arguments[loop], arguments[times] != nil {
      throw Failure(.usage, "--loop and --times cannot be combined", advice: "remove one of them")
    }
    var wanted: [WantedSound] = []
    let names = arguments[sounds].map(\.value)
    for name in names {
      wanted.append(
        try sound(
          name, spooled, raw, track: arguments[track]?.value, isOnly: names.count == 1, console))
    }
    if raw != nil, wanted.contains(where: { $0.path == nil }) {
      throw Failure(
        .usage,
        "--rate, --channels and --bits apply to - and to files, not to sounds of the library",
        advice: "remove these options, or write ./NAME for a file")
    }
    let isComplete = arguments[device] != nil && arguments[volume] != nil
    let settings = [Settings.soundsDevice.entry, Settings.volume.entry]
    let configuration = isComplete ? .none : try Configuration.current(of: settings)
    var order = PlayOrder(wanted, on: arguments[device]?.value ?? configuration.playbackDevice)
    // All sounds from stdin have the same name, but they are different sounds. So the second sound
    // does not restart the first.
    let isPipe = wanted.allSatisfy { $0.name == "-" }
    order.ifPlaying = arguments[ifPlaying] ?? (isPipe ? .overlap : .restart)
    order.times = arguments[times]?.value ?? 1
    order.loops = arguments[loop]
    order.waits = !arguments[detach]
    order.volume = arguments[volume]?.factor
    order.usualVolume = configuration[Settings.volume]?.factor
    order.fade = arguments[fade] ?? .zero
    order.leadIn = arguments[leadIn] ?? .zero
    order.cooldown = arguments[cooldown] ?? .zero
    return order
  }

  private static func sound(
    _ name: String, _ spooled: String?, _ raw: StreamFormat?, track: String?, isOnly: Bool,
    _ console: Console
  ) throws -> WantedSound {
    if name == "-" { return WantedSound(name, path: spooled, raw: raw) }
    var typed = try TakeLookup.path(ofTyped: name, notesSplit: isOnly, console)
    let isReference = TakeReference.isMeant(by: name)
    if track != nil || isReference {
      typed = try file(of: track, at: typed, console)
    }
    let name = isFile(typed) ? Program.absolutePath(of: typed) : SoundCommands.name(typed)
    guard name.begins(with: "/") else { return WantedSound(name, raw: raw) }
    return file(at: name, raw: raw, isReference: isReference)
  }

  /// Returns the sound of a file, with the format and the tracks of its recording. For a path that
  /// is not a reference to a take, only a sidecar next to the file is read, because the search for a
  /// moved sidecar reads the whole list of takes.
  static func file(
    at path: String, raw: StreamFormat? = nil, isReference: Bool = false
  ) -> WantedSound {
    var sound = WantedSound(path, path: path, raw: raw ?? TakeLookup.rawFormat(of: path))
    let sidecar = isReference ? TakeLookup.sidecar(of: path) : path + ".json"
    sound.mix = sidecar.map { ExportSource.trackChannels(inSidecar: $0) } ?? []
    return sound
  }

  /// Returns the file of `track` in the take at `path`. Throws if the take has no separate track
  /// files. If `track` is nil, returns `path`, and prints a note with the other tracks.
  private static func file(
    of track: String?, at path: String, _ console: Console
  ) throws -> String {
    let tracks = TakeLookup.fileTracks(at: path, console)
    if let track, !tracks.isEmpty {
      return try exporting(path) { try ExportSource.file(of: track, among: tracks) }
    }
    guard track == nil else {
      throw Failure(
        .notFound, "\(quoted(path)) is not a take with a file for each track",
        advice: "\"recorder export --track\" writes one track into a file")
    }
    let names = tracks.compactMap(\.name)
    if let first = names.first, names.count > 1 {
      console.note(
        "this is the track \(quoted(first)); --track plays "
          + alternatives(names.dropFirst().map(quoted)))
    }
    return path
  }

  /// Returns whether the name has the extension of a sound file, and such a file exists.
  private static func isFile(_ typed: String) -> Bool {
    typed.hasSoundEnding && (try? FileStatus(of: typed))?.kind == .regular
  }

  private static func raw(_ arguments: Arguments) throws -> StreamFormat? {
    let (rate, channels, bits) = (arguments[rate], arguments[channels], arguments[bits])
    if rate == nil && channels == nil && bits == nil { return nil }
    guard let rate, let channels, let bits else {
      throw Failure(
        .usage, "the format of the raw samples is incomplete",
        advice: "give all of --rate, --channels and --bits")
    }
    return StreamFormat(rate: rate, channels: channels, sample: bits.sample)
  }

  /// Reads stdin to its end if `-` is to be played, else returns nil.
  private static func spool(_ arguments: Arguments) throws -> Spool? {
    let count = arguments[sounds].filter { $0.value == "-" }.count
    guard count > 0 else { return nil }
    guard count == 1 else { throw Failure(.usage, "\"-\" may be given only once") }
    return try Spool(stdin: try PlayerPaths(.current()))
  }
}
