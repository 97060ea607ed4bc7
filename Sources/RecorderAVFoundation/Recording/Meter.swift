internal import Foundation
internal import RecorderKit

/// The level of a channel as Apple's types report it: in decibels, −160 for silence.
struct Meter {
  static let silence: Float = -160
  var peak = silence
  var average = silence

  init() {}

  init(_ level: Level) {
    peak = max(Self.silence, Float(level.peakDecibels))
    average = max(Self.silence, Float(level.rmsDecibels))
  }

  /// Returns the meter of a channel, or silence if the channel does not exist.
  static func at(_ channel: Int, in meters: [Meter]) -> Meter {
    meters.indices.contains(channel) ? meters[channel] : Meter()
  }
}

/// The clock of players and recorders.
enum HostClock {
  private static let epoch = SuspendingClock().systemEpoch

  /// The current time in seconds.
  static var now: TimeInterval { epoch.duration(to: .now).seconds }

  /// Returns the instant at a time in seconds.
  static func instant(at seconds: TimeInterval) -> SuspendingClock.Instant {
    epoch.advanced(by: Duration(limiting: seconds))
  }
}

extension Duration {
  /// A duration in seconds, limited to 100 years, which can still be counted in frames. It is zero
  /// if the number is negative or not a number.
  init(limiting seconds: TimeInterval) {
    self = seconds > 0 ? .seconds(min(seconds, 100 * 365 * 86_400)) : .zero
  }

  /// The duration in seconds.
  var seconds: TimeInterval {
    TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
  }
}
