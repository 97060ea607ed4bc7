import Audio
import Decoding
import Files
import Foundation
import Linux
import Support
import Testing

@Suite("The samples of a decoder", .timeLimit(.minutes(2)))
struct DecodedSamplesTests {
  /// A file, an output, and the smallest sample format that holds every frame exactly.
  struct Case: Sendable, CustomTestStringConvertible {
    let format: FileFormat
    let sample: SampleFormat
    let channels: ChannelCount
    var output = StreamFormat(rate: .hz48000, channels: .stereo, sample: .float32)
    let smallest: SampleFormat

    var testDescription: String { "\(format) of \(sample), \(channels), on \(output)" }
  }

  private static let mono44100 = StreamFormat(rate: .hz44100, channels: .mono, sample: .float32)
  private static let mono = StreamFormat(rate: .hz48000, channels: .mono, sample: .float32)
  private static let cases = [
    Case(format: .wav, sample: .int16, channels: .stereo, smallest: .int16),
    Case(format: .flac, sample: .int16, channels: .stereo, smallest: .int16),
    Case(format: .aiff, sample: .int16, channels: .stereo, smallest: .int16),
    Case(format: .wav, sample: .int16, channels: .mono, smallest: .int16),
    Case(format: .wav, sample: .int16, channels: .stereo, output: mono, smallest: .float32),
    Case(format: .wav, sample: .int16, channels: .mono, output: mono44100, smallest: .float32),
    Case(format: .wav, sample: .int24Packed, channels: .stereo, smallest: .float32),
    Case(format: .flac, sample: .int24Packed, channels: .stereo, smallest: .float32),
    Case(format: .wav, sample: .float32, channels: .stereo, smallest: .float32),
  ]

  @Test("They have 16 bits if the file has 16 bits and nothing is computed", arguments: cases)
  func smallest(_ given: Case) throws {
    let scratch = try ScratchDirectory()
    let path = scratch.path("sound")
    try write(given, to: path)
    for first in [FrameCount(0), 1, 20_000] {
      let (floats, head) = try decoded(path, given.output, .floats, first)
      #expect(head.sample == .float32)
      let (smallest, other) = try decoded(path, given.output, .smallest, first)
      #expect(other == DecodedHead(given.smallest, length: head.length))
      if given.smallest == .int16 {
        let codes = smallest.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        #expect(codes.count == (30_000 - Int(first.value)) * given.output.channels.value)
        #expect(
          codes.map { Float($0) / 32_768 }
            == floats.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) })
        #expect(first > 0 || codes.prefix(4).contains(.min) && codes.prefix(4).contains(.max))
      } else {
        #expect(smallest == floats)
      }
    }
  }

  @Test(
    "Each track of a mix has the same gain, unless the file has other channels",
    arguments: [([2, 2], [0.25, 0.25]), ([2, 1], nil), ([2, 3], nil)] as [([Int], [Float]?)])
  func mix(widths: [Int], expected: [Float]?) throws {
    let scratch = try ScratchDirectory()
    let path = scratch.path("call.wav")
    let four = StreamFormat(rate: .hz48000, channels: try #require(ChannelCount(4)), sample: .int16)
    var writer = try SoundFileWriter(
      Descriptor(opening: path, [.create, .readWrite]), named: path,
      SoundFileSettings(format: .wav, stream: four))
    // In the first frame, only the first track has a sound; in the second frame, only the second.
    let samples: [Int16] = [16_384, 16_384, 0, 0, 0, 0, 16_384, 16_384]
    try writer.write(samples.span.bytes, of: .int16)
    try writer.close()
    let output = StreamFormat(rate: .hz48000, channels: .stereo, sample: .float32)
    func left(mixing widths: [Int]) throws -> [Float] {
      var order = DecodeOrder(name: path, format: output)
      order.mix = widths.compactMap { ChannelCount($0) }
      let bytes = try LocalDecoder(Descriptor(opening: path), order, from: 0).all()
      let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
      return [samples[0], samples[2]]
    }
    let speakers = try left(mixing: [])
    #expect(speakers[0] > speakers[1])
    #expect(try left(mixing: widths) == expected ?? speakers)
  }

  /// Returns a CAF file with one frame: 3 for the center, 1 for the left and 2 for the right.
  private func centerFirst() -> [UInt8] {
    func big(_ number: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }
    var bytes = Array("caff".utf8) + big(0x1_0000, 4)
    bytes += Array("desc".utf8) + big(32, 8) + big(Double(48_000).bitPattern, 8)
    bytes += Array("lpcm".utf8) + big(2, 4) + big(6, 4) + big(1, 4) + big(3, 4) + big(16, 4)
    // Apple's layout 114: center, left, right.
    bytes += Array("chan".utf8) + big(12, 8) + big(114 << 16 | 3, 4) + big(0, 8)
    bytes += Array("data".utf8) + big(10, 8) + big(0, 4)
    return bytes + [3, 0, 1, 0, 2, 0]
  }

  @Test("Integers have the channel order of WAV files, as floats have")
  func order() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.path("a.caf")
    try Data(centerFirst()).write(to: URL(filePath: path))
    let three = try #require(ChannelCount(3))
    let output = StreamFormat(rate: .hz48000, channels: three, sample: .float32)
    let integers = try decoded(path, output, .integers, 0).0
    #expect(
      integers.withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) }
        == [1, 2, 3].map { $0 << 16 })
    let floats = try decoded(path, output, .floats, 0).0
    #expect(
      floats.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        == [1, 2, 3].map { $0 / 32_768 })
  }

  /// Writes random frames. The first frame has the lowest sample value, the second the highest.
  private func write(_ given: Case, to path: String) throws {
    var random = SeededGenerator(seed: 7)
    let count = 30_000 * given.channels.value
    var codes = (0..<count).map { _ in Int16.random(in: .min ... .max, using: &random) }
    codes.replaceSubrange(
      0..<given.channels.value, with: repeatElement(.min, count: given.channels.value))
    codes.replaceSubrange(
      given.channels.value..<2 * given.channels.value,
      with: repeatElement(.max, count: given.channels.value))
    let stream = StreamFormat(rate: .hz48000, channels: given.channels, sample: given.sample)
    let file = try Descriptor(opening: path, [.create, .readWrite])
    var writer = try SoundFileWriter(
      file, named: path, SoundFileSettings(format: given.format, stream: stream))
    try writer.write(codes.span.bytes, of: .int16)
    try writer.close()
  }

  private func decoded(
    _ path: String, _ output: StreamFormat, _ samples: DecodedSamples, _ first: FrameCount
  ) throws -> ([UInt8], DecodedHead) {
    var order = DecodeOrder(name: path, format: output)
    order.samples = samples
    let decoder = try LocalDecoder(Descriptor(opening: path), order, from: first)
    let head = try decoder.head()
    return (try decoder.all(), head)
  }
}
