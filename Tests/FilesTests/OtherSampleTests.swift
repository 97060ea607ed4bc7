import Audio
import Files
import Testing

@Suite("Samples in another format than the file")
struct OtherSampleTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("Floats are rounded to the nearest step and clip at full scale", arguments: Self.formats)
  func floats(_ format: FileFormat) throws {
    let values: [Float] = [
      0, 1, -1, 2, -2, 0.5 / 32_768, 1.5 / 32_768, -0.6 / 32_768, .nan, .infinity,
    ]
    let expected: [Int32] = [0, 32_767, -32_768, 32_767, -32_768, 0, 2, -1, 0, 32_767]
    let found = try written(values.span.bytes, of: .float32, to: format, .int16, count: 10)
    #expect(found == expected.map { $0 << 16 })
  }

  @Test("Wider integers are rounded, not truncated", arguments: Self.formats)
  func narrow(_ format: FileFormat) throws {
    let values: [Int32] = [0x7FFF, 0x8000, 0x1_8000, -0x8000, -0x8001, .max, .min]
    let expected: [Int32] = [0, 0, 2, 0, -1, 32_767, -32_768]
    let found = try written(values.span.bytes, of: .int32, to: format, .int16, count: 7)
    #expect(found == expected.map { $0 << 16 })
  }

  @Test("24 bits in three bytes and in four are the same", arguments: Self.formats)
  func packed(_ format: FileFormat) throws {
    let three: [UInt8] = [0x01, 0x02, 0x83, 0xFF, 0xFF, 0x7F]
    let four: [UInt8] = [0x01, 0x02, 0x83, 0x55, 0xFF, 0xFF, 0x7F, 0xAA]
    let expected = [Int32(bitPattern: 0x8302_0100), 0x7FFF_FF00]
    let (packed, wide) = (
      try written(three.span.bytes, of: .int24Packed, to: format, .int24Packed, count: 2),
      try written(four.span.bytes, of: .int24, to: format, .int24Packed, count: 2)
    )
    #expect(packed == expected)
    #expect(wide == expected)
  }

  private static let formats: [FileFormat] = [.wav, .flac, .raw]

  /// Writes samples to a file of one channel. Returns the samples in the file as integers that fill
  /// 32 bits.
  private func written(
    _ bytes: RawSpan, of source: SampleFormat, to format: FileFormat, _ sample: SampleFormat,
    count: Int
  ) throws -> [Int32] {
    let stream = StreamFormat(rate: .hz48000, channels: .mono, sample: sample)
    let settings = SoundFileSettings(format: format, stream: stream)
    var writer = try SoundFileWriter(scratch.create("a"), named: "a", settings)
    try writer.write(bytes, of: source)
    try writer.close()
    var reader = try SoundFileReader(
      openFile(scratch["a"]), named: "a", raw: format == .raw ? stream : nil)
    var samples = [Int32](repeating: 0, count: count + 1)
    var span = samples.mutableSpan
    let read = try reader.read(into: &span)
    return Array(samples.prefix(read))
  }
}
