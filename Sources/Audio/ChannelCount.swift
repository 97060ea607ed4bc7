/// The number of channels that a stream interleaves.
package struct ChannelCount: Hashable, Comparable, Sendable {
  /// The number, 1 to 1,024 (libsndfile's own limit).
  package let value: Int

  /// A count, or nil outside 1 to 1,024.
  package init?(_ value: Int) {
    guard (1...1_024).contains(value) else { return nil }
    self.value = value
  }

  private init(known value: Int) { self.value = value }

  /// One channel.
  package static let mono = ChannelCount(known: 1)
  /// Two channels, left before right.
  package static let stereo = ChannelCount(known: 2)

  /// Fewer channels come first.
  package static func < (left: ChannelCount, right: ChannelCount) -> Bool {
    left.value < right.value
  }
}

extension ChannelCount: CustomStringConvertible {
  /// `mono`, `stereo` or `6 channels`.
  package var description: String {
    switch value {
    case 1: "mono"
    case 2: "stereo"
    default: "\(value) channels"
    }
  }
}
