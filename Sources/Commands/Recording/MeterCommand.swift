internal import Audio
internal import Control
internal import Linux
internal import Permission
internal import Takes

/// The command `meter`, which shows input levels and writes no file.
package enum MeterCommand: RunnableCommand {
  /// The word after `recorder`.
  package static var words: [String] { ["meter"] }

  static let duration = Option<Duration>("duration", summary: "Stop after this long")
  static let calibrate = Flag(
    "calibrate", summary: "Measure the quiet room for 5 s and suggest thresholds")

  /// The description of the command.
  package static var command: Command {
    Command(
      words, section: .recording, summary: "Show input levels without recording",
      details: [
        "Shows a bar for each channel, or one line in a small window, until q, Ctrl-C or --duration. In a "
          + "bar, | is the highest peak of the last 2 s. If stdout is not a terminal, prints one line a "
          + "second, or ten with --json.",
        "With --calibrate, stay quiet: it measures the background noise that --start-on-sound and "
          + "--stop-on-silence have to ignore.",
        "A meter needs the same access as a recording.",
      ],
      options: [
        OptionGroup("Options", [StartOptions.device, StartOptions.channels, duration, calibrate]),
        OptionGroup(
          "Microphone access", [StartOptions.client, StartOptions.noPrompt, StartOptions.deny]),
      ],
      examples: [
        Example("recorder meter", "Check the microphone and its level"),
        Example("recorder meter --calibrate", "Suggest thresholds for this room"),
        Example("recorder meter --json --duration 10s", "Print ten levels a second as JSON"),
      ],
      ends: [
        .device, .permissionNotDetermined, .permissionDenied, .permissionRestricted,
        .permissionUnusable, .interrupted,
      ])
  }
}

extension MeterCommand {
  /// Makes the plan from the arguments after permission is given. Throws without permission.
  package static func permittedPlan(
    _ arguments: Arguments, _ console: Console
  ) throws -> MeterPlan {
    let length = arguments[duration]
    if let length, length <= .zero {
      throw Failure(.usage, "--duration must be more than 0")
    }
    var recording = try recording(arguments)
    let permit = try MicrophoneAccess.permit(
      recording, deny: arguments[StartOptions.deny], noPrompt: arguments[StartOptions.noPrompt],
      console)
    recording.isAllowedAlone = permit == .thisRunOnly
    let isCalibration = arguments[calibrate]
    return MeterPlan(
      recording: recording, device: arguments[StartOptions.device]?.value,
      duration: length ?? (isCalibration ? .seconds(5) : nil),
      isCalibration: isCalibration)
  }

  private static func recording(_ arguments: Arguments) throws -> RecordingPlan {
    let configuration = try MicrophoneAccess.settings()
    var plan = RecordingPlan(
      identifier: try RandomBytes.hexadecimal(8), name: "meter",
      capture: CapturePlan(
        device: arguments[StartOptions.device]?.value ?? configuration.captureDevice,
        channels: arguments[StartOptions.channels] ?? configuration[Settings.channels]),
      output: OutputPlan(path: nil, format: .raw), limits: RecordingLimits())
    plan.client = arguments[StartOptions.client]?.name
    return plan
  }
}

extension MeterCommand {
  /// Measures until a signal, a key, the end of `--duration` or the loss of microphone access, then
  /// restores the terminal.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let plan = try permittedPlan(arguments, console)
    let signals = StopSignals(
      try Signals([.interrupt, .terminate, .quit, .hangUp, .terminalStop]), isForeground: true)
    guard let session = SessionID(plan.recording.identifier) else {
      throw Failure(.usage, "the meter has no valid identifier")
    }
    let watch = try AccessWatch(plan.recording, session)
    let presence = try MeterPresence(plan.recording)
    // The record of the meter is already published, so no refusal is missed. This call finds an
    // earlier refusal. A command that stores a later refusal finds the record, and waits for the
    // end of the meter.
    try watch.consume(for: session)
    defer { close(watch, session, console) }
    let meter: LiveMeter
    do {
      meter = try LiveMeter(plan.recording, upTo: plan.duration, watch, unless: signals)
    } catch _ where signals.hasCome {
      return SilentReport(exitCode: .done)
    }
    try watch.tellStart()
    if let failure = watch.unaudited { console.warn(failure.startWarning) }
    let loop = MeterLoop(
      plan, meter, watch, presence, signals, console, isQuiet: arguments[GlobalOption.quiet])
    return try loop.run()
  }

  private static func close(_ watch: AccessWatch, _ session: SessionID, _ console: Console) {
    if let failure = watch.end(session) { console.warn(failure.endWarning) }
  }
}
