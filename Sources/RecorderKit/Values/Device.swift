internal import Control

/// A device by its name: a PCM of ALSA such as `default` or `hw:1`, or a built-in one such as `test:tone`.
public struct Device: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name, as `recorder devices` prints it.
  public var name: String

  /// The device of that name, which need not exist.
  public init(_ name: String) { self.name = name }
  /// The device of that name, which need not exist.
  public init(stringLiteral name: String) { self.name = name }

  /// The name.
  public var description: String { name }
}

extension Device {
  /// The default playback device: the one in `RECORDER_PLAYBACK_DEVICE`, or `default` if the
  /// variable is unset or empty.
  public static var defaultSpeaker: Device { Device(PlayOrder.usualDevice) }
}
