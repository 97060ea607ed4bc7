import Bench
import RecorderAVFoundation
import RecorderKit
import Testing

/// Settings as programs for Apple's systems write and read them.
@Suite("AVAudioRecorder: settings")
struct RecorderSettingsTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("A setting accepts a number of any type and can be read as any other type")
  func types() throws {
    let rates: [Any] = [
      16_000, 16_000.0, CGFloat(16_000), Float(16_000), Int32(16_000), UInt16(16_000),
      Int64(16_000), Int128(16_000), Decimal(16_000), NSNumber(value: 16_000),
    ]
    for rate in rates {
      let recorder = try AVAudioRecorder(
        url: scratch.file("a.wav"),
        settings: [
          AVSampleRateKey: rate, AVNumberOfChannelsKey: UInt8(1),
          AVEncoderAudioQualityKey: AVAudioQuality.high, AVEncoderBitRateKey: rate,
        ])
      #expect(recorder.format.sampleRate == 16_000, "\(type(of: rate))")
      for key in [AVSampleRateKey, AVEncoderBitRateKey] {
        expect(16_000, in: recorder.settings[key])
      }
      expect(1, in: recorder.settings[AVNumberOfChannelsKey])
      expect(0x60, in: recorder.settings[AVEncoderAudioQualityKey])
      expect(Int(kAudioFormatLinearPCM), in: recorder.settings[AVFormatIDKey])
      #expect(recorder.settings[AVLinearPCMIsFloatKey] as? Bool == false)
    }
  }

  @Test("The settings of a format and a player can be read as any numeric type")
  func formats() throws {
    let player = try AVAudioPlayer(contentsOf: try Fixture.write(to: scratch, frames: 480))
    let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
    for settings in [player.settings, format.settings] {
      expect(48_000, in: settings[AVSampleRateKey])
      expect(32, in: settings[AVLinearPCMBitDepthKey])
      expect(Int(kAudioFormatLinearPCM), in: settings[AVFormatIDKey])
      #expect(settings[AVLinearPCMIsFloatKey] as? Bool == true)
    }
  }

  private func expect(_ number: Int, in value: Any?) {
    #expect(value as? Int == number, "\(String(describing: value))")
    #expect(value as? Double == Double(number))
    #expect(value as? UInt32 == UInt32(number))
    #expect(value as? NSNumber == NSNumber(value: number))
  }

  @Test(
    "Opus gets the next rate that it knows, and the settings say so",
    arguments: [(44_100.0, 48_000), (22_050, 24_000), (16_000, 16_000), (nil, 48_000)])
  @MainActor
  func opus(wanted: Double?, rate: Int) async throws {
    var settings: [String: Any] = [AVFormatIDKey: kAudioFormatOpus, AVNumberOfChannelsKey: 1]
    settings[AVSampleRateKey] = wanted
    let recorder = try AVAudioRecorder(url: scratch.file("a.opus"), settings: settings)
    #expect(recorder.settings[AVSampleRateKey] as? Int == rate)
    let listener = Listener()
    recorder.delegate = listener
    #expect(recorder.record(forDuration: 0.5))
    #expect(try await listener.end())
    let length = try AVAudioFile(forReading: scratch.file("a.opus"))
    #expect(abs(Double(length.length) / length.fileFormat.sampleRate - 0.5) < 0.001)
  }

  @Test("Opus is refused for more channels than a recording can have", arguments: [6, 8, 9])
  func opusChannels(count: Int) throws {
    func recorder(_ count: Int) throws -> AVAudioRecorder {
      try AVAudioRecorder(
        url: scratch.file("a.opus"), settings: [AVNumberOfChannelsKey: count])
    }
    let error = #expect(throws: RecorderError.self) { try recorder(count) }
    let words = try #require(error).description
    #expect(words.contains("Opus") && words.contains("1 to 5 channels"), "\(words)")
    #expect(try recorder(5).settings[AVNumberOfChannelsKey] as? Int == 5)
  }

  @Test(
    "ALAC in CAF keeps every bit, as PCM, and the settings say so",
    arguments: [(16, AudioFormat.SampleFormat.int16), (20, .int24), (24, .int24), (32, .int32)])
  func appleLossless(hint: Int, sample: AudioFormat.SampleFormat) throws {
    let recorder = try AVAudioRecorder(
      url: scratch.file("a.caf"),
      settings: [
        AVFormatIDKey: kAudioFormatAppleLossless, AVSampleRateKey: 44_100,
        AVNumberOfChannelsKey: 2, AVEncoderBitDepthHintKey: hint,
      ])
    #expect(recorder.record())
    recorder.stop()
    let file = try AudioFileReader(scratch.path("a.caf"))
    #expect(file.format == AudioFormat(sampleRate: 44_100, channelCount: 2, sampleFormat: sample))
    #expect(recorder.settings[AVFormatIDKey] as? UInt32 == kAudioFormatLinearPCM)
  }
}
