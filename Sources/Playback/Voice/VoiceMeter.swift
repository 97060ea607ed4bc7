/// The loudness of each channel of a voice during the last 50 ms of rendered audio.
package struct VoiceLevels: BitwiseCopyable, Sendable {
  /// The largest number of channels that are measured, enough for 7.1.
  package static let most = 8

  /// The number of measured channels, or 0 if nothing is measured or nothing plays.
  package fileprivate(set) var count = 0
  fileprivate var peaks = InlineArray<8, Float>(repeating: 0)
  fileprivate var means = InlineArray<8, Float>(repeating: 0)

  /// The levels of a voice that is silent or not measured.
  package static let silence = VoiceLevels()

  /// Returns the largest magnitude of a channel. 1 is full scale.
  package func peak(of channel: Int) -> Float { channel < count ? peaks[channel] : 0 }

  /// Returns the root mean square of a channel.
  package func rms(of channel: Int) -> Float { channel < count ? means[channel] : 0 }
}

extension VoiceLevels: Hashable {
  package static func == (left: VoiceLevels, right: VoiceLevels) -> Bool {
    guard left.count == right.count else { return false }
    for channel in 0..<left.count
    where left.peaks[channel] != right.peaks[channel] || left.means[channel] != right.means[channel]
    {
      return false
    }
    return true
  }

  package func hash(into hasher: inout Hasher) {
    for channel in 0..<count { hasher.combine(peaks[channel]) }
  }
}

/// A meter of the loudness of each channel of a voice, in intervals of 50 ms. It takes no processor
/// time while it is off.
struct VoiceMeter: Sendable {
  /// The loudness of the last complete interval. During the first interval, it is the loudness so
  /// far.
  private(set) var levels = VoiceLevels.silence
  /// Whether the meter measures.
  var isOn = false {
    didSet { if isOn != oldValue { reset() } }
  }
  private let channels: Int
  private let measured: Int
  private let stretch: Int
  private var peaks = InlineArray<8, Float>(repeating: 0)
  private var squares = InlineArray<8, Float>(repeating: 0)
  private var frames = 0
  private var isFirst = true

  /// A meter that is off, for a voice of an output with this rate and these channels.
  init(rate: Int, channels: Int) {
    stretch = max(1, rate / 20)
    self.channels = channels
    measured = min(channels, VoiceLevels.most)
  }

  /// Adds whole frames. The volume was already applied to them.
  mutating func add(_ samples: Span<Float>) {
    guard isOn else { return }
    let count = samples.count / channels
    var (highest, sums) = (peaks, squares)
    Self.measure(samples, count, channels, measured, &highest, &sums)
    (peaks, squares) = (highest, sums)
    frames += count
  }

  private static func measure(
    _ samples: Span<Float>, _ count: Int, _ channels: Int, _ measured: Int,
    _ peaks: inout InlineArray<8, Float>, _ squares: inout InlineArray<8, Float>
  ) {
    var highest = peaks.mutableSpan
    var sums = squares.mutableSpan
    for channel in 0..<measured {
      var (peak, sum) = (highest[channel], sums[channel])
      var index = channel
      for _ in 0..<count {
        let magnitude = samples[index].magnitude
        // A sample that is NaN or infinite counts as silence.
        let level = magnitude < .infinity ? magnitude : 0
        if level > peak { peak = level }
        sum += level * level
        index &+= channels
      }
      (highest[channel], sums[channel]) = (peak, sum)
    }
  }

  /// Updates the levels at the end of a period, or resets them if the voice does not play.
  mutating func update(isPlaying: Bool) {
    guard isOn else { return }
    guard isPlaying else { return reset() }
    guard frames > 0, isFirst || frames >= stretch else { return }
    levels.count = measured
    for channel in 0..<measured {
      levels.peaks[channel] = peaks[channel]
      levels.means[channel] = (squares[channel] / Float(frames)).squareRoot()
    }
    guard frames >= stretch else { return }
    isFirst = false
    begin()
  }

  private mutating func begin() {
    frames = 0
    (peaks, squares) = (.init(repeating: 0), .init(repeating: 0))
  }

  private mutating func reset() {
    guard isFirst == false || frames > 0 || levels.count > 0 else { return }
    levels = .silence
    isFirst = true
    begin()
  }
}
