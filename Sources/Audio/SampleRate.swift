/// The number of frames a second of a stream.
package struct SampleRate: Hashable, Comparable, Sendable {
  /// Frames a second, 1 to 768,000.
  package let hertz: Int

  /// A rate, or nil where no device or file of ours could carry it.
  package init?(_ hertz: Int) {
    guard (1...768_000).contains(hertz) else { return nil }
    self.hertz = hertz
  }

  private init(known hertz: Int) { self.hertz = hertz }

  /// The default rate of a recording.
  package static let hz48000 = SampleRate(known: 48_000)
  /// The rate of the compact disc.
  package static let hz44100 = SampleRate(known: 44_100)

  /// The lower rate comes first.
  package static func < (left: SampleRate, right: SampleRate) -> Bool { left.hertz < right.hertz }
}

extension SampleRate: CustomStringConvertible {
  /// `44100 Hz`.
  package var description: String { "\(hertz) Hz" }
}
