package import Audio

/// A meter for peak, RMS and clipping of interleaved samples, for each channel.
///
/// The meter adds up samples until `take` is called. A float that is infinite or NaN counts as
/// clipped, and does not change the peak and the RMS.
@safe
package struct LevelMeter: ~Copyable {
  private let format: SampleFormat
  private let channels: Int
  private let bytesPerSample: Int
  private let ceiling: Double
  /// The number of lanes. Each lane has its own peak, sum and count in `tallies`, so that the
  /// processor can update several lanes at the same time. The samples go to the lanes in turn. Lane
  /// i belongs to channel i modulo the number of channels.
  private let lanes: Int
  /// Whether samples are measured in groups. This requires samples of `int16`, and 16 lanes,
  /// because a group has 16 samples.
  private let isGrouped: Bool
  /// The peaks of all lanes, then the sums of squares of all lanes, then the numbers of clipped
  /// samples.
  private let tallies: UnsafeMutablePointer<Double>
  private var lane = 0
  private var samples = 0

  /// An empty meter.
  ///
  /// - Parameter ceiling: the lowest magnitude of a clipped float, or nil for the ceiling of
  ///   `format`. For floats that were integers in a file, pass the ceiling of these integers.
  package init(_ format: SampleFormat, channels: ChannelCount, ceiling: Double? = nil) {
    self.format = format
    self.channels = channels.value
    bytesPerSample = format.bytesPerSample
    self.ceiling = ceiling ?? Level.ceiling(bits: format.isFloat ? nil : format.significantBits)
    lanes = channels.value * max(1, 16 / channels.value)
    isGrouped = format == .int16 && lanes == 16
    unsafe tallies = .allocate(capacity: 3 * lanes)
    unsafe tallies.initialize(repeating: 0, count: 3 * lanes)
  }

  deinit { unsafe tallies.deallocate() }

  /// Adds whole frames to the measurement.
  @_noLocks @_noAllocation
  package mutating func measure(_ frames: RawSpan) {
    let count = frames.byteCount / bytesPerSample
    let first = isGrouped && lane == 0 ? measureGroups(frames) : 0
    samples += first
    guard first < count else { return }
    measureNumbers(frames, from: first, count)
    samples += count - first
  }

  private mutating func measureNumbers(_ frames: RawSpan, from start: Int, _ count: Int) {
    var storage = NumberStorage(repeating: 0)
    var numbers = storage.mutableSpan
    var first = start
    while first < count {
      let part = min(numbers.count, count - first)
      numbers.read(part, from: frames, at: first, as: format)
      add(&numbers, part)
      first += part
    }
  }

  private mutating func add(_ numbers: inout Numbers, _ count: Int) {
    var first = 0
    while first < count {
      let part = min(lanes - lane, count - first)
      add(&numbers, at: first, part)
      first += part
      lane = lane + part == lanes ? 0 : lane + part
    }
  }

  private func add(_ numbers: inout Numbers, at first: Int, _ count: Int) {
    let peaks = unsafe tallies + lane
    let squares = unsafe peaks + lanes
    let clips = unsafe squares + lanes
    for index in 0..<count {
      let magnitude = unsafe numbers[unchecked: first &+ index].magnitude
      let level = magnitude < .infinity ? magnitude : 0
      unsafe peaks[index] = level > peaks[index] ? level : peaks[index]
      unsafe squares[index] += level * level
      unsafe clips[index] += magnitude < ceiling ? 0 : 1
    }
  }

  /// Adds all complete groups of 16 samples of `int16`. Each group has one sample for each lane.
  /// Returns the number of added samples.
  ///
  /// This takes a tenth of the instructions of `measureNumbers`. A `Float` is precise enough for a
  /// sum of 64 squares, because its rounding error is too small to be visible in a level.
  private func measureGroups(_ frames: RawSpan) -> Int {
    let groups = frames.byteCount / 32
    for first in stride(from: 0, to: groups, by: 64) {
      var (highest, lowest) = (SIMD16<Int16>(repeating: 0), SIMD16<Int16>(repeating: 0))
      var squares = SIMD16<Float>(repeating: 0)
      for group in first..<min(first &+ 64, groups) {
        let codes = unsafe frames.unsafeLoadUnaligned(
          fromUncheckedByteOffset: group &* 32, as: SIMD16<Int16>.self)
        highest.replace(with: codes, where: codes .> highest)
        lowest.replace(with: codes, where: codes .< lowest)
        var numbers = SIMD16<Float>(repeating: 0)
        for lane in 0..<16 { numbers[lane] = Float(codes[lane]) }
        squares += numbers * numbers
      }
      for lane in 0..<16 {
        let magnitude = Double(max(Int(highest[lane]), -Int(lowest[lane]))) * 0x1p-15
        unsafe tallies[lane] = max(tallies[lane], magnitude)
        unsafe tallies[lanes + lane] += Double(squares[lane]) * 0x1p-30
      }
      if highest.max() == .max || lowest.min() <= -.max {
        countClipped(frames, in: first..<min(first + 64, groups))
      }
    }
    return groups * 16
  }

  private func countClipped(_ frames: RawSpan, in groups: Range<Int>) {
    for sample in (groups.lowerBound * 16)..<(groups.upperBound * 16) {
      let code = unsafe frames.unsafeLoadUnaligned(
        fromUncheckedByteOffset: sample &* 2, as: Int16.self)
      if code == .max || code <= -.max { unsafe tallies[2 * lanes + sample % 16] += 1 }
    }
  }

  /// Returns the level of all channels together since the last call, and resets the meter.
  package mutating func take() -> Level {
    let level = level(ofLanes: stride(from: 0, to: lanes, by: 1), of: samples)
    samples = 0
    lane = 0
    unsafe tallies.update(repeating: 0, count: 3 * lanes)
    return level
  }

  /// Returns the level of all channels together since the last call, stores the level of each
  /// channel in `levels`, and resets the meter.
  ///
  /// - Parameter levels: has room for each channel. Further elements do not change.
  package mutating func take(_ levels: inout MutableSpan<Level>) -> Level {
    for channel in 0..<channels {
      let mine = stride(from: channel, to: lanes, by: channels)
      levels[channel] = level(ofLanes: mine, of: samples / channels)
    }
    return take()
  }

  private func level(ofLanes lanes: StrideTo<Int>, of samples: Int) -> Level {
    var level = Level.silence
    var sum = 0.0
    for lane in lanes {
      unsafe level.peak = max(level.peak, tallies[lane])
      unsafe sum += tallies[self.lanes + lane]
      unsafe level.clipped += Int(tallies[2 * self.lanes + lane])
    }
    level.rms = samples > 0 ? (sum / Double(samples)).squareRoot() : 0
    return level
  }
}

// SAFETY: only this value owns the memory, and Swift's exclusivity rules protect the value.
extension LevelMeter: @unchecked Sendable {}
