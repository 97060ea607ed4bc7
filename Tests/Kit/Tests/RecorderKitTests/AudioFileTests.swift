import Bench
import Foundation
import RecorderFoundation
import RecorderKit
import Testing

@Suite("Files of the library")
struct AudioFileTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("A read returns a buffer with its position, and nil at the end")
  func buffers() throws {
    let samples = try Tones.write(scratch.file("a.wav"), frames: 100, channels: 2, sample: .float32)
    let file = try AudioFileReader(scratch.path("a.wav"))
    #expect(file.format == AudioFormat(sampleRate: 48_000, channelCount: 2, sampleFormat: .float32))
    #expect(file.length == 100)
    var read: [Float] = []
    while let buffer = try file.read(upTo: 33) {
      #expect(buffer.position == Int64(read.count / 2))
      read += Array(buffer.samples)
    }
    #expect(read == samples)
    #expect(file.position == 100)
  }

  @Test("A read of too many frames returns the frames that are left")
  func longestBuffer() throws {
    try Tones.write(scratch.file("a.wav"), frames: 100, channels: 2)
    let file = try AudioFileReader(scratch.path("a.wav"))
    #expect(try file.read(upTo: .max)?.frameCount == 100)
    #expect(try file.read(upTo: .max) == nil)
    try file.seek(to: .max)
    #expect(file.position == 100)
    try file.seek(to: .min)
    #expect(file.position == 0)
  }

  @Test("An existing file is replaced only on request")
  func replacing() throws {
    try scratch.write("kept", to: "a.wav")
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1, sampleFormat: .int16)
    #expect(throws: RecorderError.self) {
      try AudioFileWriter(creating: scratch.path("a.wav"), format: format)
    }
    #expect(try String(contentsOf: scratch.file("a.wav"), encoding: .utf8) == "kept")
    try AudioFileWriter(creating: scratch.file("a.wav"), format: format, replacingExisting: true)
      .close()
    #expect(try AudioFileReader(scratch.file("a.wav")).length == 0)
  }

  @Test("The sidecar of a replaced take is removed, but no other file of that name")
  func sidecar() throws {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1, sampleFormat: .int16)
    for (name, text) in [
      ("a.wav", #"{"schema":1,"id":"x","events":[]}"#), ("b.wav", #"{"mine":1}"#),
    ] {
      try scratch.write("a take", to: name)
      try scratch.write(text, to: name + ".json")
      try AudioFileWriter(creating: scratch.path(name), format: format, replacingExisting: true)
        .close()
    }
    #expect(try scratch.names == ["a.wav", "b.wav", "b.wav.json"])
  }

  @Test("Without frames, an encoded file is removed with an error", arguments: ["flac", "opus"])
  func empty(ending: String) throws {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1, sampleFormat: .int16)
    let file = try AudioFileWriter(creating: scratch.path("a.\(ending)"), format: format)
    let error = #expect(throws: RecorderError.self) { try file.close() }
    #expect(error?.code == .fileUnavailable && error?.reason.contains("no frames") == true)
    #expect(try scratch.names.isEmpty && !file.isOpen)
    try file.close()
  }

  @Test(
    "A format that a file cannot hold is refused before there is a file",
    arguments: [
      ("a.flac", AudioFormat(sampleRate: 48_000, channelCount: 1, sampleFormat: .float32)),
      ("a.opus", AudioFormat(sampleRate: 44_100, channelCount: 1, sampleFormat: .int16)),
      ("a.flac", AudioFormat(sampleRate: 48_000, channelCount: 9, sampleFormat: .int16)),
      ("a.xyz", AudioFormat(sampleRate: 48_000, channelCount: 1, sampleFormat: .int16)),
      ("a", AudioFormat(sampleRate: 48_000, channelCount: 1, sampleFormat: .int16)),
      ("a.wav", AudioFormat(sampleRate: 0, channelCount: 1, sampleFormat: .int16)),
    ])
  func impossible(name: String, format: AudioFormat) throws {
    let error = #expect(throws: RecorderError.self) {
      try AudioFileWriter(creating: scratch.path(name), format: format)
    }
    #expect(error?.code == .unsupportedFormat)
    #expect(error?.subject?.isEmpty == false)
    let reason = try #require(error?.reason)
    #expect(reason.hasPrefix("supported: ") && reason != "supported: ")
    #expect(try scratch.names.isEmpty)
  }

  @Test("Half a frame is refused and leaves the file unchanged")
  func halfFrame() throws {
    let file = try AudioFileWriter(
      creating: scratch.path("a.wav"),
      format: AudioFormat(sampleRate: 8_000, channelCount: 2, sampleFormat: .int16))
    #expect(throws: RecorderError.self) { try file.write([0, 0, 0]) }
    try file.write([0, 0, 0, 0])
    try file.close()
    let late = #expect(throws: RecorderError.self) { try file.write([0, 0]) }
    #expect(late?.code == .alreadyEnded)
    #expect(try AudioFileReader(scratch.path("a.wav")).length == 2)
  }

  @Test("A file that is not a sound is refused with the reason")
  func notASound() throws {
    try scratch.write("a text", to: "a.wav")
    let error = #expect(throws: RecorderError.self) { try AudioFileReader(scratch.path("a.wav")) }
    #expect(error?.code == .unreadableSound && error?.subject == scratch.path("a.wav"))
    let missing = #expect(throws: RecorderError.self) { try AudioFileReader(scratch.path("b.wav")) }
    #expect(missing?.code == .fileUnavailable && missing?.subject == scratch.path("b.wav"))
    #expect(try #require(missing).localizedDescription.contains("No such file"))
  }

  @Test("A file has 16-bit samples by default")
  func sixteenBits() throws {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    let file = try AudioFileWriter(creating: scratch.path("a.wav"), format: format)
    try file.write([0, 0.5])
    try file.close()
    #expect(try AudioFileReader(scratch.path("a.wav")).format.sampleFormat == .int16)
  }

  @Test("A buffer has its samples in every format", arguments: AudioFormat.SampleFormat.allCases)
  func bytes(sample: AudioFormat.SampleFormat) throws {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 2, sampleFormat: sample)
    let buffer = AudioBuffer([0, 0.5, -1, 0.25], format: format, position: 7, lost: 3)
    let same = AudioBuffer(bytes: buffer.bytes.span.bytes, format: format)
    #expect(buffer.format == format && buffer.position == 7 && buffer.lost == 3)
    #expect(Array(same.samples) == [0, 0.5, -1, 0.25] && same.bytes == buffer.bytes)
  }

  @Test("A buffer keeps bits that do not fit into a Float")
  func exact() {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1, sampleFormat: .int32)
    let bytes: [UInt8] = [1, 2, 3, 4, 255, 254, 253, 252]
    let buffer = AudioBuffer(bytes: bytes.span.bytes, format: format)
    #expect(buffer.bytes == bytes && buffer.frameCount == 2)
  }

  @Test("A buffer can be converted to bytes and back")
  func data() {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 2, sampleFormat: .float32)
    let buffer = AudioBuffer([0, 0.5, -1, 1], format: format)
    #expect(buffer.data.count == 16)
    let same = AudioBuffer(buffer.data, format: format)
    #expect(Array(same.samples) == Array(buffer.samples))
    #expect(AudioBuffer(buffer.data.dropLast(), format: format).frameCount == 1)
  }

  @Test("A URL that is not a file URL is refused")
  func remote() throws {
    let url = try #require(URL(string: "https://example.org/a.wav"))
    #expect(throws: RecorderError.self) { try AudioFileReader(url) }
  }
}
