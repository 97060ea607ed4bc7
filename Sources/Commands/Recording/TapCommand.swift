internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Permission
internal import Store
internal import Takes

/// The command `tap`, which writes the sound of a running recording to stdout.
enum TapCommand: RunnableCommand {
  static var words: [String] { ["tap"] }

  private static let recording = Operand<TapName>(
    .optional, summary: ImpliedName.summary("recording", usual: SessionName.usual.text))
  private static let output = Operand<StdoutMark>(.optional, summary: "Stdout (default)")

  private static let rate = Option<SampleRate>(
    "rate", short: "r", summary: "Sample rate (default: that of the recording)")
  private static let channels = Option<ChannelCount>(
    "channels", short: "c", summary: "Number of channels; 1 averages two channels")
  private static let bits = Option<Bits>(
    "bits", short: "b", summary: "Sample format (default 16)")
  private static let format = Option<PipeFormat>(
    "format", short: "f", summary: "File format (default raw, which has no header)")
  private static let track = Option<TrackName>("track", summary: "Read only this track")

  static var command: Command {
    Command(
      words, section: .recording, summary: "Write the sound of a running recording to stdout",
      details: [
        "Writes the sound from this moment on, as samples without a header unless --format wav is given. "
          + "It continues until the recording ends or the program that reads stdout closes it. Up to \(TakeTaps.most) programs "
          + "can read a recording, each with its own rate, channels and track.",
        "A pause adds no sound. Up to 64 MiB of sound wait for a program that reads too slowly. After that, the program misses "
          + "sound, but the recording stays complete. In this case, the number of lost frames is printed at the end, and "
          + "the exit code is 14.",
        "Reading needs the same access as recording these tracks, and is written to the permission log. With --json "
          + "the result is printed to stderr.",
      ],
      operands: [recording, output],
      options: [
        OptionGroup("Options", [track, rate, channels, bits, format]),
        OptionGroup(
          "Microphone access", [StartOptions.client, StartOptions.noPrompt, StartOptions.deny]),
      ],
      examples: [
        Example("recorder tap | aplay -f dat", "Listen to the recording"),
        Example(
          "recorder tap --rate 16k --channels 1 | transcribe", "Pass it to a program for speech"),
        Example("recorder tap call --track far -f wav > far.wav", "Copy one track to a file"),
      ],
      ends: [.notFound, .outputRefused, .incomplete] + ExitCode.accessRefused + ExitCode.accessLost)
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    try StartCommand.requirePipe("write \"recorder tap | PROGRAM\"")
    let client = try SessionClient()
    let name = try client.recording(named: arguments[recording].first?.session)
    let status = try client.status(of: name, after: .status)
    // The arguments are checked before the access, so that a wrong argument causes no prompt, and
    // uses no grant for one recording.
    let track = try chosenTrack(status, name, arguments)
    let format = arguments[format] == .wav ? FileFormat.wav : .raw
    let output = try outputFormat(status, track, arguments, format)
    let plan = try permittedPlan(status, track, arguments, console)
    let stream = try client.reach(name, .tap) {
      (client: consuming ControlClient) throws(ControlError) in
      try client.tap(track: track?.name, client: plan.client, reader: plan.identifier)
    }
    guard let stream else { throw client.absent(name) }
    note(status, output, format, console)
    let signals = StopSignals(
      try Signals([.interrupt, .terminate, .quit, .hangUp]), isForeground: true)
    var loop = TapLoop(stream, to: output, as: format, until: signals)
    let end = try loop.run()
    loop.finishHeader()
    if case .disconnected = end {
      loop.end(at: try length(of: status.facts.identifier, name, client))
    }
    let report = loop.report(of: name)
    if let loss = report.loss { console.complain(Message(loss)) }
    if case .refused(let refusal) = end { throw Failure(refusal) }
    return console.aside(report)
  }

  /// Returns the track to read, or nil for all tracks. Throws if the recording is ending, or if the
  /// track cannot be read alone.
  private static func chosenTrack(
    _ status: RecordingStatus, _ name: SessionName, _ arguments: Arguments
  ) throws -> Track? {
    guard status.state != .finishing else { throw TakeError.ending(name) }
    return try arguments[track].map { try status.facts.tracks.readable($0.value, in: name) }
  }

  private static func outputFormat(
    _ status: RecordingStatus, _ track: Track?, _ arguments: Arguments, _ format: FileFormat
  ) throws -> StreamFormat {
    let file = status.facts.file ?? status.facts.stream
    let input = track?.channels.flatMap { ChannelCount($0.count) } ?? file.channels
    let output = StreamFormat(
      rate: arguments[rate] ?? file.rate, channels: arguments[channels] ?? input,
      sample: arguments[bits]?.sample ?? format.samples.first ?? .int16)
    guard output.channels <= input || input == .mono else {
      throw Failure(
        .usage, "the recording is \(input), so it cannot be read as \(output.channels)",
        advice: "choose other --channels")
    }
    let isSideBySide = track == nil && status.facts.tracks.areSideBySide
    guard !isSideBySide || [input, .mono].contains(output.channels) else {
      throw Failure(
        .usage, "the recording has several tracks, so it cannot be read as \(output.channels)",
        advice: "use --track, or --channels 1")
    }
    return output
  }

  /// Asks for access if nothing was decided, and returns a plan with the identifier and the tracks
  /// of the reader. Throws without access. The session checks the access again.
  private static func permittedPlan(
    _ status: RecordingStatus, _ track: Track?, _ arguments: Arguments, _ console: Console
  ) throws -> RecordingPlan {
    var capture = CapturePlan(device: "")
    capture.tracks = track.map { [$0] } ?? status.facts.tracks.filter { $0.ended == nil }
    var plan = RecordingPlan(
      identifier: try SessionID().text, name: status.facts.name, capture: capture,
      output: OutputPlan(path: nil, format: .raw))
    plan.client = arguments[StartOptions.client]?.name
    // For a track that has lost its permission, no question is asked. The session refuses such a
    // track with the reason.
    if track?.ended == nil {
      _ = try MicrophoneAccess.permit(
        plan, deny: arguments[StartOptions.deny], noPrompt: arguments[StartOptions.noPrompt],
        mustBeStored: true, console)
    }
    return plan
  }

  private static func note(
    _ status: RecordingStatus, _ output: StreamFormat, _ format: FileFormat, _ console: Console
  ) {
    switch status.state {
    case .paused: console.note("the recording is paused; its sound follows when it resumes")
    case .armed: console.note("the take has not begun; its sound follows when it begins")
    case .starting, .recording, .finishing: break
    }
    if Terminal.isTerminal(StandardStream.error.rawValue) {
      console.note(SessionCommand.whatFlows(output, format))
    }
  }

  /// Returns the number of frames of a take whose session has closed the connection without a last
  /// packet. This happens to a slow reader, because a session waits only briefly for its readers.
  /// Throws if the take has no result.
  private static func length(
    of identifier: String, _ name: SessionName, _ client: SessionClient
  ) throws -> FrameCount {
    switch client.store.sessions.end(of: identifier, called: name) {
    case .saved(let result): return result.writtenFrames
    case .died(let record): throw SessionClient.interrupted(record)
    case .unknown:
      throw Failure(
        .incomplete,
        "the recording \(quoted(name.text)) ended before this program had read all of its sound")
    }
  }
}

/// The file formats that can be written to a pipe.
private enum PipeFormat: String, WordValue {
  case raw, wav

  static let placeholder = FileFormat.placeholder
}

/// The first operand of `tap`: the name of a recording, or a dash.
private struct TapName: ArgumentValue {
  /// The name, or nil for a dash.
  let session: SessionName?

  static var placeholder: String { SessionName.placeholder }
  static var expectation: String { SessionName.expectation }
  static var completion: Completion { SessionName.completion }

  static func corrections(of text: String) -> [String] { SessionName.corrections(of: text) }

  init(argument: String) throws(ValueError) {
    session = argument == StdoutMark.text ? nil : try SessionName(argument: argument)
  }
}

/// A dash, which stands for stdout.
private struct StdoutMark: ArgumentValue {
  static let text = "-"
  static let placeholder = text
  static let expectation = "- for stdout"

  init(argument: String) throws(ValueError) {
    guard argument == Self.text else { throw .malformed }
  }
}
