import RecorderAVFoundation
import Testing

/// Rows 95 to 100 of the conformance table: formats and buffers.
@Suite("AVAudioFormat and AVAudioPCMBuffer")
struct AudioFormatTests {
  @Test("Row 95: one or two channels need no layout, three do")
  func standardFormats() throws {
    let stereo = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
    #expect(stereo.isStandard)
    #expect(stereo.commonFormat == .pcmFormatFloat32)
    #expect(!stereo.isInterleaved)
    #expect(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 1) != nil)
    #expect(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 3) == nil)
    #expect(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 0) == nil)
    #expect(AVAudioFormat(standardFormatWithSampleRate: 0, channels: 1) == nil)
    let layout = try #require(AVAudioChannelLayout(layoutTag: 147 << 16 | 3))
    let three = AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: layout)
    #expect(three.channelCount == 3)
  }

  @Test(
    "Row 96: interleaving distinguishes formats of two channels, but not of one",
    arguments: [(AVAudioChannelCount(1), true), (2, false)])
  func equality(channels: AVAudioChannelCount, equal: Bool) throws {
    func format(_ interleaved: Bool) -> AVAudioFormat? {
      AVAudioFormat(
        commonFormat: .pcmFormatInt16, sampleRate: 16_000, channels: channels,
        interleaved: interleaved)
    }
    let (one, other) = (try #require(format(true)), try #require(format(false)))
    #expect(one.isEqual(other) == equal)
    #expect((one == other) == equal)
    #expect(one == format(true))
    #expect(one.hash == other.hash)
  }

  @Test("Row 97: the raw values of the common formats are Apple's")
  func rawValues() {
    #expect(AVAudioCommonFormat.otherFormat.rawValue == 0)
    #expect(AVAudioCommonFormat.pcmFormatFloat32.rawValue == 1)
    #expect(AVAudioCommonFormat.pcmFormatFloat64.rawValue == 2)
    #expect(AVAudioCommonFormat.pcmFormatInt16.rawValue == 3)
    #expect(AVAudioCommonFormat.pcmFormatInt32.rawValue == 4)
  }

  @Test("Row 98: a length beyond the capacity traps, with the reason")
  func lengthBeyondCapacity() async {
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1)
      let buffer = format.flatMap { AVAudioPCMBuffer(pcmFormat: $0, frameCapacity: 16) }
      buffer?.frameLength = 16
      buffer?.frameLength = 17
    }
    let words = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("frameLength 17 is beyond frameCapacity 16"))
  }

  @Test("Row 99: channel pointers exist only for their own sample type, with the right stride")
  func channelData() throws {
    let floats = try buffer(.pcmFormatFloat32, channels: 2, interleaved: false)
    let data = try #require(floats.floatChannelData)
    #expect(floats.stride == 1)
    #expect(data[1] - data[0] == 64)
    #expect(data[0][63] == 0)
    #expect(floats.int16ChannelData == nil)
    #expect(floats.int32ChannelData == nil)

    let mixed = try buffer(.pcmFormatFloat32, channels: 2, interleaved: true)
    let pairs = try #require(mixed.floatChannelData)
    #expect(mixed.stride == 2)
    #expect(pairs[1] - pairs[0] == 1)

    let integers = try buffer(.pcmFormatInt16, channels: 1, interleaved: false)
    #expect(integers.floatChannelData == nil)
    #expect(integers.int16ChannelData != nil)
    #expect(try buffer(.pcmFormatInt32, channels: 1, interleaved: true).int32ChannelData != nil)
  }

  @Test("Row 100: a buffer with more bytes than 32 bits can count is nil")
  func capacity() throws {
    let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
    #expect(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: .max) == nil)
    #expect(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 1 << 30) == nil)
    #expect(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 0)?.frameLength == 0)
  }

  @Test("A copy of a buffer has the same samples in its own memory")
  func copies() throws {
    let buffer = try buffer(.pcmFormatFloat32, channels: 2, interleaved: false)
    buffer.frameLength = 48
    let data = try #require(buffer.floatChannelData)
    for frame in 0..<64 { (data[0][frame], data[1][frame]) = (Float(frame), -Float(frame)) }
    for copy in [buffer.copy(), buffer.mutableCopy()] {
      let copy = try #require(copy as? AVAudioPCMBuffer)
      #expect(copy !== buffer && copy.format == buffer.format)
      #expect(copy.frameLength == 48 && copy.frameCapacity == 64)
      let copied = try #require(copy.floatChannelData)
      #expect((0..<64).allSatisfy { copied[0][$0] == Float($0) && copied[1][$0] == -Float($0) })
      copied[0][1] = 0.5
      #expect(data[0][1] == 1)
    }
  }

  @Test("Settings can be converted to a format and back")
  func settings() throws {
    let settings: [String: Any] = [
      AVFormatIDKey: Int(kAudioFormatLinearPCM), AVSampleRateKey: 16_000,
      AVNumberOfChannelsKey: 1, AVLinearPCMBitDepthKey: 16, AVLinearPCMIsFloatKey: false,
    ]
    let format = try #require(AVAudioFormat(settings: settings))
    #expect(format.commonFormat == .pcmFormatInt16)
    #expect(format.sampleRate == 16_000)
    #expect(format.settings[AVLinearPCMBitDepthKey] as? Int == 16)
    #expect(format.settings[AVNumberOfChannelsKey] as? Int == 1)
    #expect(AVAudioFormat(settings: format.settings) == format)
    #expect(AVAudioFormat(settings: [AVSampleRateKey: "loud"]) == nil)
  }

  private func buffer(
    _ common: AVAudioCommonFormat, channels: AVAudioChannelCount, interleaved: Bool
  ) throws -> AVAudioPCMBuffer {
    let format = try #require(
      AVAudioFormat(
        commonFormat: common, sampleRate: 48_000, channels: channels, interleaved: interleaved))
    return try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 64))
  }
}
