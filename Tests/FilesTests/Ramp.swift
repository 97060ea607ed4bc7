import Audio
import Files
import Testing

/// A kind of file, for parameterized tests.
struct Kind: CustomTestStringConvertible, Sendable {
  let format: FileFormat
  let sample: SampleFormat
  var channels = 2
  var hertz = 48_000

  var testDescription: String { "\(format) \(sample) \(channels)×\(hertz)" }

  func settings(tags: SoundFileTags = [:]) throws -> SoundFileSettings {
    let stream = StreamFormat(
      rate: try #require(SampleRate(hertz)), channels: try #require(ChannelCount(channels)),
      sample: sample)
    return SoundFileSettings(format: format, stream: stream, tags: tags)
  }

  static let lossless =
    [
      Kind(format: .wav, sample: .int16), Kind(format: .wav, sample: .int24Packed),
      Kind(format: .wav, sample: .int24Packed, channels: 1), Kind(format: .wav, sample: .int32),
      Kind(format: .wav, sample: .float32), Kind(format: .wav, sample: .int16, channels: 6),
      Kind(format: .wav, sample: .float32, channels: 3), Kind(format: .flac, sample: .int16),
      Kind(format: .flac, sample: .int24Packed, channels: 1), Kind(format: .raw, sample: .int16),
      Kind(format: .raw, sample: .float32),
    ] + apple

  static let apple = [
    Kind(format: .caf, sample: .int16), Kind(format: .caf, sample: .int24Packed, channels: 1),
    Kind(format: .caf, sample: .int32, channels: 6), Kind(format: .caf, sample: .float32),
    Kind(format: .aiff, sample: .int16), Kind(format: .aiff, sample: .int24Packed, channels: 1),
    Kind(format: .aiff, sample: .int32, channels: 6), Kind(format: .aiff, sample: .float32),
  ]
}

/// Samples that count up. Sample n is n, in the lowest bits that the file stores, so a shift or a
/// repetition is visible.
struct Ramp {
  let kind: Kind

  /// Returns the samples as 32-bit integers or as the bits of floats: the form that the file stores
  /// without loss.
  func samples(_ range: Range<Int>) -> [Int32] {
    range.map { index in
      kind.sample.isFloat
        ? Int32(bitPattern: (Float(index % 0xFF_FFFF) / 0x1p24).bitPattern)
        : Int32(truncatingIfNeeded: index) << (32 - Int32(kind.sample.significantBits))
    }
  }

  /// Writes a range of frames.
  func write(_ frames: Range<Int>, to writer: inout SoundFileWriter) throws(SoundFileError) {
    let range = (frames.lowerBound * kind.channels)..<(frames.upperBound * kind.channels)
    let samples = samples(range)
    try writer.write(samples.span.bytes, of: kind.sample.isFloat ? .float32 : .int32)
  }

  /// Reads all remaining samples of a reader, in the same form.
  func read(_ reader: inout SoundFileReader) throws(SoundFileError) -> [Int32] {
    var all: [Int32] = []
    while true {
      let count: Int
      var block = [Int32](repeating: 0, count: 1_000 * kind.channels)
      if kind.sample.isFloat {
        var floats = [Float](repeating: 0, count: block.count)
        var span = floats.mutableSpan
        count = try reader.read(into: &span)
        block = floats.map { Int32(bitPattern: $0.bitPattern) }
      } else {
        var span = block.mutableSpan
        count = try reader.read(into: &span)
      }
      if count == 0 { return all }
      all += block.prefix(count * kind.channels)
    }
  }
}
