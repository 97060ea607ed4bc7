package import Audio
internal import Linux
package import PipeWire

/// The reason why a device could not be opened, with the alternatives if they are known.
package enum DeviceError: Error, Hashable, Sendable {
  /// There is no built-in device with this name and direction.
  case unknownBuiltIn(name: String, direction: Direction)
  /// The tone is too high for the rate. A tone above half the rate would sound like a lower tone.
  case toneTooHigh(hertz: Int, rate: SampleRate)
  /// PipeWire has no such node in this direction. `near` lists the nodes with similar names, or all
  /// nodes if no name is similar.
  case noNode(String, Direction, near: [String])
  /// The node's existence could not be verified, for this reason.
  case unverifiable(device: String, PipeWireDump.Failure)
  /// The device needs PipeWire, which cannot be used.
  case noPipeWire(device: String, ConnectionFailure)
  /// PipeWire refused to connect the device, for this reason.
  case unlinked(device: String, String)
  /// PipeWire connected the device, but the device did not start within this time.
  case inactive(device: String, Duration)
  /// The part of the name after the colon is missing.
  case unnamed(String)
  /// PipeWire has no such speaker. `near` lists the speakers with similar names, or all speakers if
  /// no name is similar.
  case noOutput(device: String, near: [String])
  /// The speaker does not deliver the sound that it plays.
  case noMonitor(device: String)
  /// There is no such device, or its sound server does not run.
  case missing(StreamError)
  /// Other programs use the device. `holders` is empty if the system does not name them.
  case busy(StreamError, holders: [DeviceHolder])
  /// The user has no permission to use the device.
  case forbidden(StreamError)
  /// The device does not support the requested value.
  case unable(StreamError, asked: Trait, able: Capabilities)
  /// Any other failure.
  case failed(StreamError)

  /// The property of a stream that a device refused.
  package enum Trait: Hashable, Sendable {
    case rate(SampleRate)
    case channels(ChannelCount)
    case sample(SampleFormat)
    /// Interleaved frames, the only layout that this program uses.
    case interleaving
    /// The combination of all values, although each value alone is supported.
    case combination
  }

  /// Creates the error for a failure to open a device, depending on the reason.
  init(opening cause: StreamError, _ direction: Direction) {
    switch cause.errno {
    case .busy, .wouldBlock:
      self = .busy(cause, holders: DeviceHolder.holders(of: cause.device, direction))
    case .accessDenied, .notPermitted: self = .forbidden(cause)
    case .noSuchFile, .noDevice, .noSuchDevice, .invalid, .connectionRefused, .hostDown:
      self = .missing(cause)
    default: self = .failed(cause)
    }
  }
}

extension DeviceError: CustomStringConvertible {
  /// The device, its fault and the system's reason, escaped for a terminal.
  package var description: String {
    switch self {
    case .unknownBuiltIn(let name, let direction): Self.unknown(name, direction)
    case .toneTooHigh(let hertz, let rate):
      "a tone of \(hertz) Hz needs a rate above \(2 * hertz) Hz, not \(rate)"
    case .noNode(let node, let direction, let near):
      "PipeWire has no \(direction) node \(Self.quoted(node))"
        + (near.isEmpty ? "" : "; it has \(Self.list(near))")
    case .unverifiable(let device, let silence): "cannot check \(Self.quoted(device)): \(silence)"
    case .noPipeWire(let device, let failure):
      "\(Self.quoted(device)) needs PipeWire: \(PrintableText.escape("\(failure)"))"
    case .unlinked(let device, let reason):
      "PipeWire refuses to connect \(Self.quoted(device)): \(PrintableText.escape(reason))"
    case .inactive(let device, let limit):
      "\(Self.quoted(device)) did not start within \(limit.components.seconds) s"
    case .unnamed(let device): "\(Self.quoted(device)) needs a name after the colon"
    case .noOutput(let device, let near):
      "PipeWire has no speaker for \(Self.quoted(device))"
        + (near.isEmpty ? "" : "; it has \(Self.list(near))")
    case .noMonitor(let device):
      "the speaker of \(Self.quoted(device)) does not allow its sound to be recorded"
    case .missing(let cause) where cause.isServerDown:
      "the sound server is not running: no device \(Self.quoted(cause.device))"
    case .missing(let cause): "no device \(Self.quoted(cause.device)): \(cause.printableWords)"
    case .busy(let cause, let holders):
      "\(Self.quoted(cause.device)) is in use" + (holders.isEmpty ? "" : " by ")
        + PrintableText.list(holders.map { PrintableText.escape($0.description) }, "and")
    case .forbidden(let cause):
      "this user cannot open \(Self.quoted(cause.device)): \(cause.printableWords)"
    case .unable(let cause, let asked, let able):
      "device \(Self.quoted(cause.device)) does not support \(asked), only \(able) "
        + "(\(cause.printableWords))"
    case .failed(let cause): "\(Self.quoted(cause.device)) does not work: \(cause.printableWords)"
    }
  }

  /// Returns the message about a built-in device that does not exist in this direction.
  private static func unknown(_ name: String, _ direction: Direction) -> String {
    let isReversed = Direction.allCases.contains { (try? DeviceName(name, for: $0)) != nil }
    let fault =
      switch direction {
      case .capture where isReversed: "\(quoted(name)) only plays, and does not record"
      case .playback where isReversed: "\(quoted(name)) only records, and does not play"
      case .capture, .playback: "no built-in \(direction) device \(quoted(name))"
      }
    let devices = direction.builtInDevices
    let known = PrintableText.list(devices, "and")
    return devices.count == 1
      ? "\(fault); the built-in \(direction) device is \(known)"
      : "\(fault); the built-in \(direction) devices are \(known)"
  }

  private static func quoted(_ name: String) -> String { PrintableText.quoted(name) }

  private static func list(_ names: [String]) -> String {
    PrintableText.list(names.map(quoted), "and")
  }
}

extension StreamError {
  fileprivate var printableWords: String { PrintableText.escape(words) }
}

extension DeviceError.Trait: CustomStringConvertible {
  /// The value or the property, for a message.
  package var description: String {
    switch self {
    case .rate(let rate): "\(rate)"
    case .channels(let channels): "\(channels)"
    case .sample(let sample): "\(sample)"
    case .interleaving: "interleaved frames"
    case .combination: "the requested values together"
    }
  }
}

/// Runs a step of opening a device. Converts its errors to `failed`, because the user cannot do
/// anything about them.
func unfailing<Value: ~Copyable>(
  _ step: @autoclosure () throws(StreamError) -> Value
) throws(DeviceError) -> Value {
  try mapError(DeviceError.failed, step())
}
