import Bench
import RecorderAVFoundation
import RecorderKit
import Testing

/// Rows 83 to 94 of the conformance table: files.
@Suite("AVAudioFile")
struct AudioFileTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("Row 83: the processing format is deinterleaved Float at the rate of the file")
  func processingFormat() throws {
    try Tones.write(scratch.file("a.wav"), rate: 44_100, channels: 2)
    let file = try AVAudioFile(forReading: scratch.file("a.wav"))
    #expect(file.processingFormat.commonFormat == .pcmFormatFloat32)
    #expect(!file.processingFormat.isInterleaved)
    #expect(file.processingFormat.sampleRate == 44_100)
    #expect(file.processingFormat.channelCount == 2)
    #expect(file.length == 48_000)
  }

  @Test("Row 84: the file format is the format on the disk")
  func fileFormat() throws {
    try Tones.write(scratch.file("a.wav"), rate: 8_000, sample: .int16)
    let wave = try AVAudioFile(forReading: scratch.file("a.wav")).fileFormat
    #expect(wave.commonFormat == .pcmFormatInt16)
    #expect(wave.settings[AVLinearPCMBitDepthKey] as? Int == 16)
    #expect(wave.sampleRate == 8_000)
    try Tones.write(scratch.file("b.flac"), sample: .int24Packed)
    let flac = try AVAudioFile(forReading: scratch.file("b.flac")).fileFormat
    #expect(flac.settings[AVFormatIDKey] as? AudioFormatID == kAudioFormatFLAC)
    try Tones.write(scratch.file("c.opus"))
    let opus = try AVAudioFile(forReading: scratch.file("c.opus")).fileFormat
    #expect(opus.settings[AVFormatIDKey] as? AudioFormatID == kAudioFormatOpus)
  }

  @Test("Row 85: a read fills the buffer, sets its length and advances the position")
  func reading() throws {
    let samples = try Tones.write(
      scratch.file("a.wav"), frames: 1_000, channels: 2, sample: .float32)
    let file = try AVAudioFile(forReading: scratch.file("a.wav"))
    let buffer = try buffer(for: file, 300)
    var read: [[Float]] = [[], []]
    for length in [300, 300, 300, 100] {
      try file.read(into: buffer)
      #expect(buffer.frameLength == AVAudioFrameCount(length))
      for channel in 0..<2 { read[channel] += floats(buffer, channel) }
      #expect(file.framePosition == AVAudioFramePosition(read[0].count))
    }
    #expect(read[0] == stride(from: 0, to: 2_000, by: 2).map { samples[$0] })
    #expect(read[1] == stride(from: 1, to: 2_000, by: 2).map { samples[$0] })
  }

  @Test("Row 86: a read at the end sets the length to 0 and does not throw")
  func end() throws {
    try Tones.write(scratch.file("a.wav"), frames: 10)
    let file = try AVAudioFile(forReading: scratch.file("a.wav"))
    let buffer = try buffer(for: file, 64)
    try file.read(into: buffer)
    #expect(buffer.frameLength == 10)
    try file.read(into: buffer)
    #expect(buffer.frameLength == 0)
    try file.read(into: buffer)
    #expect(buffer.frameLength == 0)
  }

  @Test("Row 87: a read returns at most the requested number of frames")
  func frameCount() throws {
    try Tones.write(scratch.file("a.wav"), frames: 100)
    let file = try AVAudioFile(forReading: scratch.file("a.wav"))
    let buffer = try buffer(for: file, 64)
    try file.read(into: buffer, frameCount: 7)
    #expect(buffer.frameLength == 7)
    try file.read(into: buffer, frameCount: 1_000)
    #expect(buffer.frameLength == 64)
    #expect(file.framePosition == 71)
  }

  @Test("Row 88: a seek is exact", arguments: ["wav", "flac", "opus", "caf", "aiff"])
  func seeking(ending: String) throws {
    let url = scratch.file("a." + ending)
    try Tones.write(url, frames: 96_000)
    try checkSeeking(url)
  }

  @Test("Row 88: a seek in an MP3 is exact")
  func seekingMP3() throws {
    let lame = try #require(Command.path(of: "lame"), "lame is in scripts/setup test")
    try Tones.write(scratch.file("a.wav"), frames: 96_000)
    let end = try Command.run(lame, ["--quiet", scratch.path("a.wav"), scratch.path("a.mp3")])
    try #require(end.code == 0)
    try checkSeeking(scratch.file("a.mp3"))
  }

  /// Checks that a read after a seek returns the same frames as a read from the beginning.
  private func checkSeeking(_ url: URL) throws {
    let file = try AVAudioFile(forReading: url)
    let whole = try buffer(for: file, AVAudioFrameCount(file.length))
    try file.read(into: whole)
    #expect(Int(whole.frameLength) == Int(file.length))
    let all = floats(whole)
    let part = try buffer(for: file, 4_800)
    for place in [48_000, 1, 0, 20_011, 90_000, 47_999, Int(file.length) - 4_800] {
      file.framePosition = AVAudioFramePosition(place)
      #expect(file.framePosition == AVAudioFramePosition(place))
      try file.read(into: part)
      let difference = zip(floats(part), all[place...]).map { abs($0 - $1) }.max() ?? 1
      #expect(part.frameLength == 4_800)
      #expect(difference < 0.002, "\(url.lastPathComponent) at \(place)")
    }
  }

  @Test("Row 89: a buffer of another format is refused")
  func otherFormat() throws {
    try Tones.write(scratch.file("a.wav"))
    let file = try AVAudioFile(forReading: scratch.file("a.wav"))
    let stereo = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: stereo, frameCapacity: 64))
    #expect(throws: RecorderError.self) { try file.read(into: buffer) }
    #expect(file.framePosition == 0)
  }

  @Test("Row 90: 16-bit integers survive a round trip unchanged, also through floats")
  func roundTrip() throws {
    let numbers = Tones.counted(70_000) + [.max, .min, 0, -1, 1]
    let settings: [String: Any] = [
      AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1, AVLinearPCMBitDepthKey: 16,
    ]
    let url = scratch.file("a.wav")
    let written = try AVAudioFile(
      forWriting: url, settings: settings, commonFormat: .pcmFormatInt16, interleaved: true)
    let buffer = try #require(
      AVAudioPCMBuffer(
        pcmFormat: written.processingFormat, frameCapacity: AVAudioFrameCount(numbers.count)))
    buffer.frameLength = buffer.frameCapacity
    for (index, number) in numbers.enumerated() { buffer.int16ChannelData?[0][index] = number }
    try written.write(from: buffer)
    written.close()

    let file = try AVAudioFile(forReading: url, commonFormat: .pcmFormatInt16, interleaved: false)
    let read = try self.buffer(for: file, AVAudioFrameCount(numbers.count))
    try file.read(into: read)
    #expect((0..<numbers.count).map { read.int16ChannelData?[0][$0] } == numbers)

    let floats = try AVAudioFile(forReading: url)
    let through = try self.buffer(for: floats, AVAudioFrameCount(numbers.count))
    try floats.read(into: through)
    let copy = try AVAudioFile(forWriting: scratch.file("b.wav"), settings: settings)
    try copy.write(from: through)
    copy.close()
    #expect(try Data(contentsOf: scratch.file("b.wav")) == Data(contentsOf: url))
  }

  @Test("Row 90: a float of 1 becomes the largest integer, and larger floats are limited")
  func fullScale() throws {
    let settings: [String: Any] = [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1]
    let written = try AVAudioFile(forWriting: scratch.file("a.wav"), settings: settings)
    let buffer = try self.buffer(for: written, 4)
    for (index, sample) in [Float(1), -1, 2, -2].enumerated() {
      buffer.floatChannelData?[0][index] = sample
    }
    buffer.frameLength = 4
    try written.write(from: buffer)
    written.close()
    let file = try AVAudioFile(
      forReading: scratch.file("a.wav"), commonFormat: .pcmFormatInt16, interleaved: true)
    let read = try self.buffer(for: file, 4)
    try file.read(into: read)
    #expect((0..<4).map { read.int16ChannelData?[0][$0] } == [.max, .min, .max, .min])
  }

  @Test("Row 91: an existing file is replaced, and frameLength frames are written")
  func overwriting() throws {
    let url = scratch.file("a.wav")
    try scratch.write("a text", to: "a.wav")
    let file = try AVAudioFile(
      forWriting: url, settings: [AVSampleRateKey: 8_000, AVNumberOfChannelsKey: 1])
    let buffer = try self.buffer(for: file, 1_000)
    buffer.frameLength = 10
    try file.write(from: buffer)
    #expect(file.length == 10)
    #expect(file.framePosition == 10)
    file.close()
    #expect(try AVAudioFile(forReading: url).length == 10)
    #expect(throws: (any Error).self) {
      try AVAudioFile(forWriting: scratch.file("none/a.wav"), settings: [:])
    }
  }

  @Test("Row 92: a closed file neither reads nor writes, and can be closed again")
  func closing() throws {
    let written = try AVAudioFile(forWriting: scratch.file("a.wav"), settings: [:])
    let buffer = try self.buffer(for: written, 16)
    #expect(written.isOpen)
    written.close()
    written.close()
    #expect(!written.isOpen)
    #expect(throws: RecorderError.self) { try written.write(from: buffer) }

    let read = try AVAudioFile(forReading: scratch.file("a.wav"))
    #expect(read.isOpen)
    read.close()
    read.close()
    #expect(!read.isOpen)
    #expect(throws: RecorderError.self) { try read.read(into: try self.buffer(for: read, 16)) }
  }

  @Test(
    "Row 93: the end of the last reference closes the file", arguments: ["wav", "flac", "opus"])
  func release(ending: String) throws {
    let url = scratch.file("a." + ending)
    do {
      let settings: [String: Any] = [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1]
      let file = try AVAudioFile(forWriting: url, settings: settings)
      let buffer = try self.buffer(for: file, 4_800)
      buffer.frameLength = 4_800
      try file.write(from: buffer)
    }
    #expect(try AVAudioFile(forReading: url).length == 4_800)
  }

  @Test("Row 94: a WAV file can be read while it is written, except for the last half second")
  func reader() throws {
    let url = scratch.file("a.wav")
    let settings: [String: Any] = [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1]
    let file = try AVAudioFile(forWriting: url, settings: settings)
    let buffer = try self.buffer(for: file, 1_000)
    buffer.frameLength = 1_000
    for _ in 0..<100 {
      try file.write(from: buffer)
      let seen = try AVAudioFile(forReading: url).length
      #expect(file.length - seen <= 24_000)
    }
    #expect(file.isOpen)
  }

  @Test("An unsupported encoding is refused, and the error names the supported ones")
  func refusal() throws {
    let settings: [String: Any] = [AVFormatIDKey: kAudioFormatMPEG4AAC]
    let error = #expect(throws: RecorderError.self) {
      try AVAudioFile(forWriting: scratch.file("a.m4a"), settings: settings)
    }
    let words = try #require(error).localizedDescription
    for name in ["AAC", "FLAC", "Opus"] { #expect(words.contains(name), "\(words)") }
    #expect(try scratch.names.isEmpty)
  }

  private func buffer(
    for file: AVAudioFile, _ frames: AVAudioFrameCount
  ) throws -> AVAudioPCMBuffer {
    try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: frames))
  }

  private func floats(_ buffer: AVAudioPCMBuffer, _ channel: Int = 0) -> [Float] {
    guard let data = buffer.floatChannelData else { return [] }
    return (0..<Int(buffer.frameLength)).map { data[channel][$0] }
  }
}
