internal import Audio
internal import Control
internal import Linux
internal import Permission
internal import Store

/// The command `start`, which starts a recording.
enum StartCommand: CommandDefinition {
  static var words: [String] { ["start"] }

  static let file = Operand<FilePath>(
    .optional,
    summary: "Output file; % expands as in strftime, - is stdout (default: recording-DATE-TIME.wav)"
  )
  static let output = Option<FilePath>("output", short: "o", summary: "The same as FILE")
  static let name = Option<SessionName>(
    "name", short: "n", summary: "Name of the recording, so that several can run at once")

  static let device = Option<DeviceText>("device", short: "d", summary: "Capture device")
  static let rate = Option<SampleRate>("rate", short: "r", summary: "Sample rate")
  static let channels = Option<ChannelCount>(
    "channels", short: "c", summary: "Number of channels; 1 of a stereo device is the mean")
  static let select = Option<ChannelSelection>("select", summary: "Record only these channels")
  static let gain = Option<Decibels>("gain", summary: "Gain before the file")
  static let period = Option<Duration>("period", summary: "Length of a period of the device")
  static let buffer = Option<Duration>("buffer", summary: "Length of the device's buffer")

  static let bits = Option<Bits>("bits", short: "b", summary: "Sample format")
  static let format = Option<FileFormat>(
    "format", short: "f", summary: "File format, where the name has no ending")
  static let title = Option<Text>("title", summary: "Title, stored in the file")
  static let note = Option<Text>("note", summary: "Comment, stored in the file")
  static let sidecar = Option<SidecarWish>(
    "sidecar", summary: "Write FILE.json always or never, instead of where it is needed")
  static let force = Flag("force", summary: "Replace an existing FILE when the recording ends")

  static let duration = Option<Duration>("duration", summary: "Stop after this long")
  static let maxSize = Option<ByteCount>(
    "max-size", summary: "Stop (with --split: start a new file) at this size")
  static let minFree = Option<ByteCount>(
    "min-free", summary: "Stop when less than this is free on the disk (default 16M)")
  static let reconnect = Option<Duration>(
    "reconnect", summary: "Wait this long for a disconnected device")
  static let tolerateGaps = Flag("tolerate-gaps", summary: "Exit with 0 even if frames were lost")

  static let foreground = Flag(
    "foreground", summary: "Stay in this terminal with a meter: q stops, space pauses, m marks")
  static let client = Option<Client>("as", summary: "The name of the program that asks")
  static let noPrompt = Flag("no-prompt", summary: "Never ask for microphone access")
  static let deny = Flag("deny", summary: "Refuse microphone access for this call")

  /// The cases in which FILE.json is written.
  enum SidecarWish: String, Choice {
    case always
    case never

    static let placeholder = "WHEN"
  }

  static var command: Command {
    Command(
      words, section: .recording, summary: "Start a recording",
      details: [
        "Returns as soon as the first frame is captured; the recording goes on until it is stopped. "
          + "Everything that can go wrong at the start is told here, by its exit code.",
        "The file is valid at every moment. A crash costs its last audio: \(CrashCost.words). Until "
          + "the end it has a hidden name, .FILE.part, which \"recorder recover\" makes FILE. A file "
          + "that exists is never replaced without --force.",
        "To stdout (-) go samples alone, without a header unless --format wav is given: by default "
          + "16 bits, little-endian, at the rate and the channels that are asked for. Nothing else is "
          + "written there; with --json the result goes to stderr.",
        "With --foreground, or -, the exit code is that of the recording's end.",
        "recorder needs the permission to listen: see \"recorder help permission\".",
      ],
      operands: [file],
      options: [
        OptionGroup(
          "Input", [device, rate, channels, select, gain, period, buffer]),
        OptionGroup("Output", [output, format, bits, title, note, sidecar, force]),
        OptionGroup("Limits", [duration, maxSize, minFree, reconnect, tolerateGaps]),
        seriesGroup,
        voiceGroup,
        OptionGroup("Session", [name, foreground, client, noPrompt, deny]),
      ],
      examples: [
        Example("recorder start", "Record until \"recorder stop\""),
        Example("recorder start talk.flac --duration 1h", "An hour at most, as FLAC"),
        Example("recorder start 'log/%Y/%m-%d.wav' --name log", "By the date, beside others"),
        Example(
          "recorder start 'log/%F-%H.wav' --split 1h --align clock --keep 7d",
          "A file an hour, for a week"),
        Example("recorder start --foreground a.wav", "With a meter, until q or Ctrl-C"),
        Example("recorder start --armed --pre-roll 30s", "Listen, until \"recorder trigger\""),
        Example("recorder start -", "Send the samples to another program by a pipe"),
      ],
      ends: [
        .alreadyRecording, .device, .outputRefused, .nothingCaptured, .interrupted,
      ] + ResumeCommand.permissionEnds + foregroundEnds)
  }

  /// The exit codes of a recording that `start` itself carries out, with --foreground or to stdout.
  private static var foregroundEnds: [ExitCode] {
    [.incomplete, .revokedWhileRecording, .expiredWhileRecording]

  }
}

extension StartCommand: Carrier {
  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    do throws(Failure) {
      return try begin(arguments, console)
    } catch {
      guard isSoundOutput(arguments), console.isJSON else { throw error }
      console.complain(error.message)
      console.tell(FailureReport(error))
      return SilentReport(exitCode: error.code)
    }
  }

  private static func begin(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    var plan = try plan(arguments)
    if !arguments[foreground], plan.output.path != nil {
      try LifeInBackground.require(
        for: "the recording", remedy: "\"recorder start --foreground\" stays with it")
    }
    try checkOutput(plan)
    let permit = try StartPermission.permit(
      plan, deny: arguments[deny], noPrompt: arguments[noPrompt], console)
    plan.isAllowedAlone = permit == .thisRunOnly
    if arguments[foreground] || plan.output.path == nil {
      try SessionLauncher.become(plan, flags(arguments))
    }
    let status = try detach(plan, arguments[name] ?? .usual, console)
    for warning in status.warnings { console.warn(Message(printable(warning))) }
    do throws(Failure) {
      try console.print(StartedReport(status: status))
    } catch {
      // The recording runs; a caller that gets a failure would start it again.
      console.warn(error.message)
    }
    return SilentReport(exitCode: .done)
  }

  private static func detach(
    _ plan: RecordingPlan, _ name: SessionName, _ console: Console
  ) throws(Failure) -> RecordingStatus {
    let link = try SessionLink(claiming: true)
    let unread = link.store.result(of: name)
    let missing = MissingDirectory(above: plan.output.path)
    defer { missing?.tell(console) }
    let status = try SessionLauncher.detach(plan, name, link.store.paths)
    if let unread, unread.exit != 0 { console.warn(Message(news(of: unread))) }
    return status
  }

  /// The words for a result that nobody read, and that the next recording of its name replaces.
  private static func news(of result: RecordingResult) -> String {
    "the recording \(quoted(result.name)) before this ended with \(result.exit) "
      + "(\(result.reason.rawValue)), \(result.place); \"recorder takes\" has it"
  }

  /// Throws now if the output file would be refused later.
  private static func checkOutput(_ plan: RecordingPlan) throws(Failure) {
    if plan.output.path == nil, Terminal.isTerminal(StandardStream.output.rawValue) {
      throw Failure(
        .usage,
        Message(
          "stdout is a terminal, which cannot show sound",
          advice: "write \"recorder start - | PROGRAM\", or give the name of a file"))
    }
    let floor = plan.limits.free
    if let path = plan.output.path, let free = FileSystem.freeBytes(above: path), free < floor {
      throw Failure(tooLittleSpace: free, of: floor, for: path)
    }
    guard plan.output.split == nil, let path = plan.output.path,
      let status = try? FileStatus(of: path, following: false)
    else { return }
    if let taken = TakenName(status, replacing: plan.output.replaces) { throw taken.failure(path) }
  }

  private static func flags(_ arguments: Arguments) -> [String] {
    [GlobalOption.json, GlobalOption.quiet].filter { arguments[$0] }.map(\.entry.spelling)
  }
}
