internal import Control
internal import Linux
internal import Store
internal import Takes

/// The command `start`, which starts a recording.
enum StartCommand: RunnableCommand {
  static var words: [String] { ["start"] }

  static var command: Command {
    Command(
      words, section: .recording, summary: "Start a recording",
      details: details,
      operands: [StartOptions.file],
      options: StartOptions.groups,
      examples: examples,
      ends: [
        .alreadyRecording, .device, .outputRefused, .nothingCaptured, .interrupted, .incomplete,
      ] + ExitCode.accessRefused + ExitCode.accessLost)
  }

  private static var details: [String] {
    [
      "Returns when the first frame is captured; the recording continues in the background. If it "
        + "cannot start, the reason is printed and the exit code is that of the failure.",
      "The file is valid at all times. A crash loses only the last audio: \(CrashCost.words). Until "
        + "the recording ends the file is hidden and called .FILE.part; after a crash, \"recorder "
        + "recover\" saves it. An existing file is replaced only with --force, and goes to the trash.",
      "With - as FILE, only samples are written to stdout, without a header unless --format wav is "
        + "given. By default they have 16 bits, little-endian, at the requested rate and channels. "
        + "With --json the result is printed to stderr.",
      "With --foreground or - as FILE, the exit code is that of the finished recording. Ctrl-Z gives the "
        + "terminal back to the shell, and the recording continues; \"fg\" shows it again.",
      "Without --device, the variable RECORDER_CAPTURE_DEVICE names the device, otherwise the setting "
        + "\"device\"; without these, it is ALSA's default. Other settings replace other missing "
        + "options: see \"recorder config\".",
      "With --track, one take has several tracks. They have the same number of frames, and their "
        + "channels are side by side in one file, in the order of the options. \"recorder export "
        + "--track\" writes one of them. With --separate, each track has a file: FILE-NAME.wav. If one "
        + "of these files exists, all new files get the same number, as in FILE-NAME-002.wav. See "
        + "\"recorder help tracks\".",
      "Recording needs access to the microphone, or to system audio for an output or a program: see \"recorder help permission\".",
    ]
  }

  private static var examples: [Example] {
    [
      Example("recorder start", "Record until \"recorder stop\""),
      Example("recorder start talk.flac --duration 1h", "Record FLAC for at most an hour"),
      Example(
        "recorder start 'log/%Y/%m-%d.wav' --name log",
        "Name the file by date, and record at the same time as others"),
      Example(
        "recorder start 'log/%F-%H.wav' --split 1h --align clock --keep 7d",
        "Start a file every hour, and keep a week"),
      Example("recorder start --foreground a.wav", "Show a meter, until q or Ctrl-C"),
      Example(
        "recorder start talk.wav --track mic=default --track far=app:firefox",
        "Record two devices as tracks of one take"),
      Example("recorder start --armed --pre-roll 30s", "Wait for \"recorder trigger\""),
      Example("recorder start -", "Pipe the samples to another program"),
    ]
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    var plan = try StartPlan(arguments, MicrophoneAccess.settings()).plan()
    if !arguments[StartOptions.foreground], plan.output.path != nil {
      try LifeInBackground.require(
        for: "the recording",
        remedy: "use \"recorder start --foreground\", which runs until the recording ends")
    }
    try checkOutput(plan)
    let permit = try MicrophoneAccess.permit(
      plan, deny: arguments[StartOptions.deny], noPrompt: arguments[StartOptions.noPrompt], console)
    plan.isAllowedAlone = permit == .thisRunOnly
    if arguments[StartOptions.foreground] || plan.output.path == nil {
      try SessionLauncher.become(plan, flags(arguments), console)
    }
    let status = try detach(plan, arguments[StartOptions.name] ?? .usual, console)
    for warning in status.warnings { console.warn(printable(warning)) }
    do {
      try console.print(StartedReport(status: status, series: plan.output.series))
    } catch {
      // The error is only a warning, because the recording runs. After a failure, the caller would
      // start the recording again.
      console.warn(Failure(explaining: error).message)
    }
    return SilentReport(exitCode: .done)
  }

  private static func detach(
    _ plan: RecordingPlan, _ name: SessionName, _ console: Console
  ) throws -> RecordingStatus {
    let client = try SessionClient(claiming: true)
    let unread = client.store.sessions.result(of: name)
    let missing = MissingDirectory(above: plan.output.path)
    defer { missing?.report(to: console) }
    let status = try SessionLauncher.detach(plan, name, client.store.paths)
    if let unread, unread.exit != 0 { console.warn(news(of: unread)) }
    return status
  }

  /// Returns the warning about a result that was never read. The next recording of that name
  /// replaces the result.
  private static func news(of result: RecordingResult) -> String {
    "an earlier recording \(quoted(result.name)) ended with exit code \(result.exit) "
      + "(\(result.reason.words)), \(result.destination); \"recorder takes\" lists it"
  }

  /// Throws now if the output file would be refused later.
  private static func checkOutput(_ plan: RecordingPlan) throws {
    if plan.output.path == nil {
      try requirePipe("write \"recorder start - | PROGRAM\", or give a file name")
    }
    // A full disk is not refused if the session can delete undelivered files of its series.
    let makesRoom = plan.output.keep != nil && plan.output.delivery != nil
    if !makesRoom, let refusal = plan.diskRefusal { throw refusal }
    // The names of files of several tracks are not checked, because these files get the next free
    // number.
    guard !plan.output.isSeries, plan.output.tracks.isEmpty || plan.output.replaces,
      let path = plan.output.path,
      let status = try? FileStatus(of: path, following: false)
    else { return }
    if let taken = TakenName(status, replacing: plan.output.replaces) { throw taken.failure(path) }
  }

  /// Throws if stdout is a terminal.
  static func requirePipe(_ advice: String) throws {
    guard Terminal.isTerminal(StandardStream.output.rawValue) else { return }
    throw Failure(.usage, "audio cannot be written to a terminal", advice: advice)
  }

  private static func flags(_ arguments: Arguments) -> [String] {
    [GlobalOption.json, GlobalOption.quiet].filter { arguments[$0] }.map(\.entry.spelling)
  }
}

extension StartOptions {
  /// All options, in the order of the help.
  fileprivate static var groups: [OptionGroup] {
    [
      OptionGroup(
        "Input",
        [
          device, TrackOptions.track, TrackOptions.meeting, TrackOptions.mix,
          TrackOptions.separate, TrackOptions.require, rate, channels, select, gain, period, buffer,
        ]),
      OptionGroup("Output", [output, format, bits, title, note, sidecar, force]),
      OptionGroup("Limits", [duration, maxSize, minFree, reconnect, tolerateGaps]),
      OptionGroup("Multiple files", [split, align, keep, onSegment, deliver, onStop]),
      OptionGroup(
        "Voice activation", [startOnSound, armed, preRoll, stopOnSilence, threshold, noGate]),
      OptionGroup("Session", [name, foreground, client, noPrompt, deny]),
    ]
  }
}
