internal import Foundation
internal import RecorderKit

/// The loudness of a channel as Apple's types have it: decibels, −160 being silence.
struct Meter {
  static let silence: Float = -160
  var peak = silence
  var average = silence

  init() {}

  init(_ level: Level) {
    peak = max(Self.silence, Float(level.decibels.peak))
    average = max(Self.silence, Float(level.decibels.rms))
  }

  /// The meter of a channel; silence for one that is not there.
  static func at(_ channel: Int, in meters: [Meter]) -> Meter {
    meters.indices.contains(channel) ? meters[channel] : Meter()
  }
}

/// The clock of players and recorders.
enum HostClock {
  /// The seconds of the clock that the library's players use as well.
  static var now: TimeInterval { Player.shared.clock.seconds }
}

extension Duration {
  /// A number of seconds, at most a century, which is as good as any longer time and can still be counted in frames;
  /// none where it is negative or no number.
  init(limiting seconds: TimeInterval) {
    self = seconds > 0 ? .seconds(min(seconds, 100 * 365 * 86_400)) : .zero
  }

  /// The length in seconds.
  var seconds: TimeInterval {
    TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
  }
}
