internal import Audio
package import Control
internal import Linux
internal import Permission

/// The command `meter`, which shows input levels and writes no file.
package enum MeterCommand: CommandDefinition {
  /// The word after `recorder`.
  package static var words: [String] { ["meter"] }

  static let duration = Option<Duration>("duration", summary: "Stop after this long")
  static let calibrate = Flag(
    "calibrate", summary: "Measure the quiet room for 5 s and suggest thresholds")

  /// The engine carries it out, because it opens a device.
  package static var command: Command {
    Command(
      words, section: .recording, summary: "Show input levels without recording",
      details: [
        "Shows the level on a line that moves, until q, Ctrl-C or --duration. Where the output is no "
          + "terminal there is one line a second, with --json ten.",
        "With --calibrate, be as quiet as the room is between words: what it hears is what "
          + "--start-on-sound and --stop-on-silence have to ignore.",
        "It listens, so it needs the permission as a recording does.",
      ],
      options: [
        OptionGroup("Options", [StartCommand.device, StartCommand.channels, duration, calibrate]),
        OptionGroup(
          "Permission", [StartCommand.client, StartCommand.noPrompt, StartCommand.deny]),
      ],
      examples: [
        Example("recorder meter", "Is it the right microphone, and loud enough?"),
        Example("recorder meter --calibrate", "What thresholds fit this room?"),
        Example("recorder meter --json --duration 10s", "Ten levels a second, for a program"),
      ],
      ends: [
        .device, .permissionNotDetermined, .permissionDenied, .permissionRestricted,
        .permissionUnusable, .interrupted,
      ])
  }
}

/// The plan of a meter that has microphone access.
package struct MeterPlan: Sendable {
  /// The device and the client; the plan has no output file.
  package let recording: RecordingPlan
  /// The length of the run; nil until it is stopped.
  package let duration: Duration?
  /// True if the meter suggests thresholds at its end.
  package let isCalibration: Bool
}

extension MeterCommand {
  /// Makes the plan from the arguments, once permission is given; throws without it.
  package static func permittedPlan(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> MeterPlan {
    let length = arguments[duration]
    if let length, length <= .zero {
      throw Failure(.usage, Message("--duration must be more than 0"))
    }
    var recording = try recording(arguments)
    let permit = try MicrophoneAccess.permit(
      recording, deny: arguments[StartCommand.deny], noPrompt: arguments[StartCommand.noPrompt],
      console)
    recording.isAllowedAlone = permit == .thisRunOnly
    let isCalibration = arguments[calibrate]
    return MeterPlan(
      recording: recording, duration: length ?? (isCalibration ? .seconds(5) : nil),
      isCalibration: isCalibration)
  }

  private static func recording(_ arguments: Arguments) throws(Failure) -> RecordingPlan {
    let identifier: String
    do throws(SystemError) {
      identifier = try RandomBytes.hexadecimal(8)
    } catch {
      throw Failure(.failed, Message("cannot name the run: \(error)"))
    }
    var plan = RecordingPlan(
      identifier: identifier, name: "meter",
      capture: CapturePlan(
        device: arguments[StartCommand.device]?.value ?? "default",
        channels: arguments[StartCommand.channels]),
      output: OutputPlan(path: nil, format: .raw), limits: RecordingLimits())
    plan.client = arguments[StartCommand.client]?.name
    return plan
  }
}
