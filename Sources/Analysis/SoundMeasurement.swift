package import Audio
package import Linux
internal import RealTime
internal import Synchronization

/// The measured levels and loudness of a sound.
package struct SoundLevels: Hashable, Sendable {
  /// The peak, the RMS level and the number of clipped samples over all channels.
  package var level = Level.silence
  /// The highest level between samples, the true peak. 1 is full scale.
  package var truePeak = 0.0
  /// The loudness, or nil if libebur128 is missing.
  package var loudness: MeasuredLoudness?
  /// The DC offset: the mean of the channel whose mean is furthest from zero. 1 is full scale.
  package var offset = 0.0
  /// The silent fraction of the time, 0 to 1. A window of 100 ms is silent if all its samples are
  /// below −60 dBFS.
  package var silence = 0.0

  /// Creates the levels of a sound without frames.
  package init() {}
}

/// A measurement of frames while they are decoded. The calling thread measures the loudness, and
/// another thread measures everything else.
package final class SoundMeasurement {
  private var loudness: LoudnessMeter?
  private let others: OtherLevels
  /// The reason why the loudness is not measured, or nil if it is measured.
  package let refusal: AnalysisError?

  /// Creates a measurement without frames and starts its thread.
  ///
  /// - Parameters:
  ///   - ofTracks: whether the channels belong to several tracks, and not to loudspeakers.
  ///   - bits: the number of bits of a sample in the file, or nil if the file does not contain
  ///     integers.
  package init(
    _ stream: StreamFormat, ofTracks: Bool = false, bits: Int? = nil
  ) throws(SystemError) {
    do throws(AnalysisError) {
      loudness = try LoudnessMeter(
        rate: stream.rate, channels: stream.channels, ofTracks: ofTracks)
      refusal = nil
    } catch {
      loudness = nil
      refusal = error
    }
    others = try OtherLevels(
      rate: stream.rate, channels: stream.channels, ceiling: Level.ceiling(bits: bits))
  }

  deinit { others.end() }

  /// Adds whole frames of floats.
  package func add(_ frames: [Float]) throws(AnalysisError) {
    others.add(frames)
    try loudness?.add(frames.span)
  }

  /// Ends the thread and returns the levels of all added frames. Call it only once.
  package func finish() -> SoundLevels {
    var levels = others.finish()
    levels.loudness = loudness?.measured
    return levels
  }
}

/// The measurement of everything except the loudness, on its own thread.
private final class OtherLevels: Sendable {
  private struct State {
    var blocks: [[Float]] = []
    var isOver = false
    var levels: SoundLevels?
  }

  private let state = Mutex(State())
  private let changed: Event
  private let answered: Event
  /// The maximum number of blocks that wait for the thread. If this number of blocks waits, the
  /// decoder waits too.
  private static let mostWaiting = 16

  init(rate: SampleRate, channels: ChannelCount, ceiling: Double) throws(SystemError) {
    changed = try Event()
    answered = try Event()
    _ = try Thread("levels") { [self] in run(rate, channels, ceiling) }
  }

  func add(_ block: [Float]) {
    answered.wait(state) { state -> Void? in
      guard state.blocks.count < Self.mostWaiting else { return nil }
      state.blocks.append(block)
      return ()
    }
    changed.signal()
  }

  func end() {
    state.withLock { $0.isOver = true }
    changed.signal()
  }

  func finish() -> SoundLevels {
    end()
    return answered.wait(state) { $0.levels }
  }

  private func run(_ rate: SampleRate, _ channels: ChannelCount, _ ceiling: Double) {
    var tally = LevelTally(rate: rate, channels: channels, ceiling: ceiling)
    while true {
      let block = changed.wait(state) { state -> [Float]? in
        if !state.blocks.isEmpty { return state.blocks.removeFirst() }
        return state.isOver ? [] : nil
      }
      if block.isEmpty { break }
      answered.signal()
      tally.add(block)
    }
    let levels = tally.finish()
    state.withLock { $0.levels = levels }
    answered.signal()
  }
}

/// The levels of all frames added so far.
private struct LevelTally: ~Copyable {
  private let channels: Int
  private let window: Int
  private var meter: LevelMeter
  private var truePeak: TruePeakMeter
  private var sums: [Double]
  private var frames = 0
  private var windowPeak: Float = 0
  private var inWindow = 0
  private var silent = 0

  /// The level below which a window is silent. 1 is full scale.
  private static let threshold: Float = 0.001

  init(rate: SampleRate, channels: ChannelCount, ceiling: Double) {
    self.channels = channels.value
    // 100 ms.
    window = max(1, rate.hertz / 10)
    meter = LevelMeter(.float32, channels: channels, ceiling: ceiling)
    truePeak = TruePeakMeter(rate: rate, channels: channels)
    sums = Array(repeating: 0, count: channels.value)
  }

  mutating func add(_ block: [Float]) {
    meter.measure(unsafe block.span.bytes)
    truePeak.measure(block.span)
    Self.sum(block, channels, into: &sums)
    let count = block.count / channels
    frames += count
    var first = 0
    while first < count {
      let part = min(window - inWindow, count - first)
      let range = (first * channels)..<((first + part) * channels)
      windowPeak = max(windowPeak, Self.peak(block, range))
      inWindow += part
      first += part
      if inWindow == window { endWindow() }
    }
  }

  private mutating func endWindow() {
    if windowPeak < Self.threshold { silent += inWindow }
    (windowPeak, inWindow) = (0, 0)
  }

  mutating func finish() -> SoundLevels {
    endWindow()
    var levels = SoundLevels()
    guard frames > 0 else { return levels }
    levels.level = meter.take()
    // A peak between samples is at least as high as the samples next to it.
    levels.truePeak = max(truePeak.take(), levels.level.peak)
    levels.silence = Double(silent) / Double(frames)
    let means = sums.map { $0 / Double(frames) }
    levels.offset = means.max { abs($0) < abs($1) } ?? 0
    return levels
  }

  private static func sum(_ block: [Float], _ channels: Int, into sums: inout [Double]) {
    let span = block.span
    for channel in 0..<channels {
      var sum = 0.0
      var index = channel
      while index < span.count {
        sum += unsafe Double(span[unchecked: index])
        index &+= channels
      }
      sums[channel] += sum
    }
  }

  private static func peak(_ block: [Float], _ range: Range<Int>) -> Float {
    let span = block.span
    var peak: Float = 0
    for index in range {
      let magnitude = unsafe abs(span[unchecked: index])
      peak = magnitude > peak ? magnitude : peak
    }
    return peak
  }
}
