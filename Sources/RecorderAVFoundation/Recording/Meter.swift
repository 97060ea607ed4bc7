internal import Foundation
internal import RecorderKit

/// The levels of all channels at the last update.
struct Meters {
  /// Whether updates have an effect. Setting it to false clears the levels.
  var isOn = false { didSet { if !isOn { clear() } } }
  private var channels: [Level] = []

  mutating func update(_ levels: Levels) { if isOn { channels = levels.channels } }

  mutating func clear() { channels = [] }

  /// The level of a channel as Apple's types report it, in decibels. It is −160 for silence and for
  /// a channel that does not exist.
  subscript(channel: Int) -> (peak: Float, average: Float) {
    let level = channels.indices.contains(channel) ? channels[channel] : .silence
    return (max(-160, Float(level.peakDecibels)), max(-160, Float(level.rmsDecibels)))
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
  /// A duration in seconds, limited to 100 years so that it can be counted in frames. It is zero if
  /// the number is negative or not a number.
  init(limiting seconds: TimeInterval) {
    self = seconds > 0 ? .seconds(min(seconds, 100 * 365 * 86_400)) : .zero
  }

  /// The duration in seconds.
  var seconds: TimeInterval {
    TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
  }
}
