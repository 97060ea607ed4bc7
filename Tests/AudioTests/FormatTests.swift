import Audio
import Testing

@Suite("Stream formats")
struct FormatTests {
  @Test(
    "A rate is from 1 to 768,000",
    arguments: [(-1, false), (0, false), (1, true), (768_000, true), (768_001, false)])
  func rates(hertz: Int, isRate: Bool) {
    #expect((SampleRate(hertz)?.hertz == hertz) == isRate)
  }

  @Test(
    "A frame has from 1 to 1,024 channels",
    arguments: [(-1, false), (0, false), (1, true), (1_024, true), (1_025, false)])
  func channels(count: Int, isCount: Bool) {
    #expect((ChannelCount(count)?.value == count) == isCount)
  }

  /// The numbers are the bits of a WAV file's channel mask.
  @Test(
    "The channels of Vorbis are in the order of its specification",
    arguments: [
      [2], [0, 1], [0, 2, 1], [0, 1, 4, 5], [0, 2, 1, 4, 5], [0, 2, 1, 4, 5, 3],
      [0, 2, 1, 9, 10, 8, 3], [0, 2, 1, 9, 10, 4, 5, 3],
    ])
  func vorbisOrder(numbers: [Int]) throws {
    let channels = try #require(ChannelCount(numbers.count))
    #expect([Speaker].vorbis(channels)?.map { Int($0.rawValue) } == numbers)
  }

  @Test(
    "A format knows its size, its bits and its name",
    arguments: zip(
      SampleFormat.allCases,
      [
        (2, 16, false, "S16"), (3, 24, false, "S24_3"), (4, 24, false, "S24"),
        (4, 32, false, "S32"), (4, 24, true, "FLOAT"), (8, 53, true, "FLOAT64"),
      ]))
  func formats(format: SampleFormat, facts: (bytes: Int, bits: Int, isFloat: Bool, name: String)) {
    #expect(format.bytesPerSample == facts.bytes)
    #expect(format.significantBits == facts.bits)
    #expect(format.isFloat == facts.isFloat)
    #expect(format.description == facts.name)
    #expect(SampleFormat(rawValue: facts.name) == format)
  }

  @Test("A frame has a sample per channel, and a second has as many frames as the rate")
  func sizes() {
    let format = StreamFormat(rate: .hz48000, channels: .stereo, sample: .int24Packed)
    #expect(format.bytesPerFrame == 6)
    #expect(format.bytesPerSecond == 288_000)
    #expect(format.description == "48000 Hz, stereo, S24_3")
  }

  @Test("Channel counts and rates are ordered, and channel counts have names")
  func order() throws {
    let six = try #require(ChannelCount(6))
    #expect([six, .mono, .stereo].sorted() == [.mono, .stereo, six])
    #expect(six.description == "6 channels")
    #expect(ChannelCount.mono.description == "mono")
    #expect(SampleRate.hz44100 < .hz48000)
  }
}
