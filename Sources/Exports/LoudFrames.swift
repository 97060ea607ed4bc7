internal import Analysis
internal import Audio

/// The changes of level that a normalized export makes.
struct LevelChange: Hashable {
  /// The factor for each sample.
  var gain = 1.0
  /// The largest magnitude of a peak after the limiter, or nil without a limiter. Full scale is 1.
  var ceiling: Double?
}

/// A filter that removes the frequencies below 3 Hz, as every Opus encoder does.
///
/// Without this filter, the limiter would act on peaks that are shifted by a slow wave. The encoder
/// would then remove the slow wave, and the peaks of the file would exceed the ceiling (by 3 dB in
/// a test).
private struct DriftFilter {
  private let share: Double
  private var means: [Double]

  init(_ stream: StreamFormat) {
    share = 2 * .pi * 3 / Double(stream.rate.hertz)
    means = Array(repeating: 0, count: stream.channels.value)
  }

  mutating func process(_ samples: inout [Float]) {
    for channel in means.indices {
      var mean = means[channel]
      for index in stride(from: channel, to: samples.count, by: means.count) {
        let sample = Double(samples[index])
        guard sample.isFinite else { continue }
        mean += (sample - mean) * share
        samples[index] = Float(sample - mean)
      }
      means[channel] = mean
    }
  }
}

/// The frames of an export as floats, after the fades, the gain and the limiter.
final class LoudFrames {
  private let layout: ExportLayout
  private let gain: Float
  private let reader: ExportReader
  private var drift: DriftFilter?
  private var limiter: PeakLimiter?
  /// The samples that are processed but not yet read.
  private var pending: [Float] = []
  /// The number of samples that are still to be dropped. Because of its delay, the limiter outputs
  /// these samples before the first frame.
  private var unwanted = 0

  init(_ layout: ExportLayout, _ change: LevelChange, by decoder: ExportReader.Decoder) throws {
    let channels = layout.stream.channels
    reader = try ExportReader(decoder, layout)
    self.layout = layout
    gain = Float(change.gain)
    drift = layout.format == .opus ? DriftFilter(layout.stream) : nil
    if let ceiling = change.ceiling {
      let limiter = PeakLimiter(rate: layout.stream.rate, channels: channels, ceiling: ceiling)
      unwanted = limiter.delay * channels.value
      self.limiter = consume limiter
    }
  }

  /// Returns the next frames.
  func read(_ frames: Int) throws -> [Float] {
    let channels = layout.stream.channels.value
    while pending.count < frames * channels {
      var block = try next()
      limiter?.process(&block)
      let skipped = min(unwanted, block.count)
      unwanted -= skipped
      pending += block[skipped...]
    }
    let read = Array(pending[..<(frames * channels)])
    pending.removeFirst(frames * channels)
    return read
  }

  /// Returns the next block before the limiter, or silence after the last frame.
  private func next() throws -> [Float] {
    let position = reader.position
    guard position < layout.range.upperBound else {
      return [Float](repeating: 0, count: 1_024 * layout.stream.channels.value)
    }
    try reader.read(upTo: layout.range.upperBound)
    var block = reader.floats
    layout.fade(&block, at: position)
    drift?.process(&block)
    for index in block.indices { block[index] *= gain }
    return block
  }

  /// Ends the decoder.
  func end() { reader.end() }
}
