package import Audio
internal import Glibc

/// A meter of the true peak, the highest level that a converter would produce between the samples
/// (ITU-R BS.1770-4, annex 2).
package struct TruePeakMeter: ~Copyable, Sendable {
  private var wave: Oversampling
  private var peak: Float = 0

  /// The number of positions that are skipped together if their samples are too low for a new peak.
  private static var step: Int { 32 }

  /// Creates a meter without measurements.
  package init(rate: SampleRate, channels: ChannelCount) {
    wave = Oversampling(rate: rate, channels: channels)
  }

  /// Adds whole frames.
  package mutating func measure(_ samples: Span<Float>) {
    let frames = samples.count / wave.channels
    for first in stride(from: 0, to: frames, by: Oversampling.block) {
      let count = min(Oversampling.block, frames - first)
      wave.load(samples, from: first, count)
      for channel in 0..<wave.channels { measure(channel, count) }
      wave.advance(count)
    }
  }

  private mutating func measure(_ channel: Int, _ count: Int) {
    for start in stride(from: 0, to: count, by: Self.step) {
      let end = min(start + Self.step, count)
      guard wave.highest(channel, start, end) * wave.bound > peak else { continue }
      for index in stride(from: start, to: end, by: 8) {
        let peaks = wave.peaks(channel, at: index)
        // The values after the end belong to an earlier block.
        for lane in 0..<min(8, end - index) where peaks[lane] > peak { peak = peaks[lane] }
      }
    }
  }

  /// Returns the highest magnitude so far, and resets the meter. 1 is full scale.
  package mutating func take() -> Double {
    let silence = [Float](repeating: 0, count: Oversampling.taps * wave.channels)
    measure(silence.span)
    defer { peak = 0 }
    return Double(peak)
  }
}

/// A limiter that keeps the peaks between samples below a ceiling. It has one gain for all
/// channels. The gain falls gradually before a peak, and recovers slowly after it.
///
/// The limiter computes the gain in two steps. First it computes the minimum of the needed gains
/// over a window. After a peak, this minimum recovers slowly. Then it computes the gain as the mean
/// of these minima over a window of the same length. So the gain has no jumps, and is never higher
/// than the gain that a frame needs.
package struct PeakLimiter: ~Copyable, Sendable {
  private var wave: Oversampling
  private let ceiling: Float
  private let window: Int
  private let release: Float
  /// Frames that wait for their gain.
  private var waiting: [Float] = []
  /// The gains that the frames in the window need. A gain is omitted if a later gain is not higher.
  private var lows: [(index: Int, gain: Float)] = []
  private var low: Float = 1
  private var means: [Float]
  private var sum: Double
  private var position = 0

  /// Creates a limiter with a ceiling. A magnitude of 1 is full scale.
  package init(rate: SampleRate, channels: ChannelCount, ceiling: Double) {
    wave = Oversampling(rate: rate, channels: channels)
    self.ceiling = Float(ceiling)
    // The gain falls over 5 ms before a peak and recovers over a tenth of a second after it.
    window = max(2, rate.hertz / 200)
    release = 1 - exp(-1 / (0.1 * Float(rate.hertz)))
    means = Array(repeating: 1, count: window)
    sum = Double(window)
    waiting = Array(repeating: 0, count: delay * channels.value)
  }

  /// The number of frames by which the output is delayed.
  package var delay: Int { window - 1 + Oversampling.delay }

  /// Limits frames in place. The output is delayed by `delay` frames.
  package mutating func process(_ samples: inout [Float]) {
    let frames = samples.count / wave.channels
    for first in stride(from: 0, to: frames, by: Oversampling.block) {
      let count = min(Oversampling.block, frames - first)
      wave.load(samples.span, from: first, count)
      let gains = gains(count)
      wave.advance(count)
      exchange(&samples, first, count, gains)
    }
  }

  /// Replaces the new frames with the oldest waiting frames, multiplied by their gains.
  private mutating func exchange(
    _ samples: inout [Float], _ first: Int, _ count: Int, _ gains: [Float]
  ) {
    let channels = wave.channels
    let range = (first * channels)..<((first + count) * channels)
    waiting += samples[range]
    for frame in 0..<count {
      for channel in 0..<channels {
        samples[range.lowerBound + frame * channels + channel] =
          waiting[frame * channels + channel] * gains[frame]
      }
    }
    waiting.removeFirst(count * channels)
  }

  /// Returns the gains of the next output frames.
  private mutating func gains(_ count: Int) -> [Float] {
    var peaks = [Float](repeating: 0, count: count + 8)
    for channel in 0..<wave.channels {
      for index in stride(from: 0, to: count, by: 8)
      where wave.highest(channel, index, index + 8) * wave.bound > ceiling {
        let found = wave.peaks(channel, at: index)
        for lane in 0..<8 { peaks[index + lane] = max(peaks[index + lane], found[lane]) }
      }
    }
    return (0..<count).map { gain(after: peaks[$0]) }
  }

  private mutating func gain(after peak: Float) -> Float {
    let needed = peak > ceiling ? ceiling / peak : 1
    while let last = lows.last, last.gain >= needed { lows.removeLast() }
    lows.append((position, needed))
    if let first = lows.first, first.index <= position - window { lows.removeFirst() }
    low = min(lows.first?.gain ?? 1, low + (1 - low) * release)
    let slot = position % window
    sum += Double(low) - Double(means[slot])
    means[slot] = low
    position += 1
    return Float(sum / Double(window))
  }
}

/// The sound with interpolated values between the samples. The result has four times the rate, or
/// twice the rate from 96 kHz on. From 192 kHz on, there are no interpolated values.
///
/// The filter has 32 taps. The filter of the example in ITU-R BS.1770-4 has 12 taps, and its
/// results for high tones are 0.2 dB too low.
@safe
struct Oversampling: ~Copyable {
  let channels: Int
  /// The number of steps from one sample to the next.
  let phases: Int
  /// The highest possible ratio of an interpolated value to the highest sample.
  let bound: Float
  /// The filters of all phases except the first, which is the sample itself.
  private let filter: UnsafeMutablePointer<Float>
  /// For each channel, the last samples of the previous block, then the current block.
  private let planes: UnsafeMutablePointer<Float>

  static var taps: Int { 32 }
  /// The largest number of samples per channel in a block.
  static var block: Int { 1_024 }
  /// The delay of the filter in frames. Position i belongs to the frame i − `delay` of the block.
  static var delay: Int { taps / 2 }

  init(rate: SampleRate, channels: ChannelCount) {
    self.channels = channels.value
    phases = rate.hertz >= 192_000 ? 1 : rate.hertz >= 96_000 ? 2 : 4
    let count = Self.taps * max(1, phases - 1)
    unsafe filter = .allocate(capacity: count)
    unsafe filter.initialize(repeating: 0, count: count)
    var bound: Float = 1
    for phase in 1..<max(2, phases) {
      var sum: Float = 0
      for tap in 0..<Self.taps {
        let value = Self.tap(tap, at: Double(phase) / Double(phases))
        unsafe filter[(phase - 1) * Self.taps + tap] = value
        sum += abs(value)
      }
      bound = max(bound, sum)
    }
    self.bound = bound
    // Eight positions are computed at a time, so the last group may reach past the end of a block.
    let room = channels.value * (Self.taps + Self.block) + 64
    unsafe planes = .allocate(capacity: room)
    unsafe planes.initialize(repeating: 0, count: room)
  }

  deinit {
    unsafe filter.deallocate()
    unsafe planes.deallocate()
  }

  /// Returns one tap of the sinc filter with a Kaiser window.
  private static func tap(_ index: Int, at part: Double) -> Float {
    let offset = Double(index - taps / 2 + 1) - part
    let share = offset / Double(taps / 2)
    guard abs(share) < 1 else { return 0 }
    let sinc = offset == 0 ? 1 : sin(.pi * offset) / (.pi * offset)
    let beta = 6.0
    return Float(sinc * bessel(beta * (1 - share * share).squareRoot()) / bessel(beta))
  }

  /// The modified Bessel function of the first kind, order 0.
  private static func bessel(_ value: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for index in 1..<40 {
      term *= (value / 2 / Double(index)) * (value / 2 / Double(index))
      sum += term
    }
    return sum
  }

  private func plane(_ channel: Int) -> UnsafeMutablePointer<Float> {
    unsafe planes + channel * (Self.taps + Self.block)
  }

  /// Loads a block of frames. The end of the previous block stays in memory before the new block.
  mutating func load(_ samples: Span<Float>, from first: Int, _ count: Int) {
    precondition(count <= Self.block, "there are more frames than a block has")
    for channel in 0..<channels {
      let target = unsafe plane(channel) + Self.taps
      for index in 0..<count {
        unsafe target[index] = samples[unchecked: (first &+ index) &* channels &+ channel]
      }
    }
  }

  /// Keeps the end of a block of `count` frames for the next block.
  mutating func advance(_ count: Int) {
    for channel in 0..<channels {
      let plane = unsafe plane(channel)
      unsafe plane.update(from: plane + count, count: Self.taps)
    }
  }

  /// Returns the highest magnitude of the samples that affect the positions from `start` to `end`.
  func highest(_ channel: Int, _ start: Int, _ end: Int) -> Float {
    let plane = unsafe plane(channel)
    var highest = SIMD8<Float>(repeating: 0)
    var index = start
    while index < end + Self.taps {
      let eight = unsafe UnsafeRawPointer(plane + index).loadUnaligned(as: SIMD8<Float>.self)
      highest.replace(with: eight, where: eight .> highest)
      highest.replace(with: -eight, where: -eight .> highest)
      index += 8
    }
    return highest.max()
  }

  /// Returns the magnitudes at eight positions. Each result is the highest magnitude of a sample
  /// and of the values between this sample and the next one.
  func peaks(_ channel: Int, at index: Int) -> SIMD8<Float> {
    let plane = unsafe plane(channel) + index
    let middle = unsafe UnsafeRawPointer(plane + Self.delay).loadUnaligned(as: SIMD8<Float>.self)
    var highest = SIMD8<Float>(repeating: 0)
    highest.replace(with: middle, where: middle .> highest)
    highest.replace(with: -middle, where: -middle .> highest)
    for phase in 1..<max(1, phases) {
      var sum = SIMD8<Float>(repeating: 0)
      let own = unsafe filter + (phase - 1) * Self.taps
      for tap in 0..<Self.taps {
        let eight = unsafe UnsafeRawPointer(plane + 1 + tap).loadUnaligned(as: SIMD8<Float>.self)
        unsafe sum += eight * own[tap]
      }
      highest.replace(with: sum, where: sum .> highest)
      highest.replace(with: -sum, where: -sum .> highest)
    }
    return highest
  }
}

// SAFETY: only this value owns the memory, and Swift's exclusivity rules protect the value.
extension Oversampling: @unchecked Sendable {}
