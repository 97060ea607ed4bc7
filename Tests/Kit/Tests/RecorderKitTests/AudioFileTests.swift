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
    #expect(file.format == AudioFormat(rate: 48_000, channels: 2, sample: .float32))
    #expect(file.length == 100)
    var read: [Float] = []
    while let buffer = try file.read(upTo: 33) {
      #expect(buffer.position == Int64(read.count / 2))
      read += buffer.array
    }
    #expect(read == samples)
    #expect(file.position == 100)
  }

  @Test("A read of too many frames returns the frames that are left")
  func longestBuffer() throws {
    try Tones.write(scratch.file("a.wav"), frames: 100, channels: 2)
    let file = try AudioFileReader(scratch.path("a.wav"))
    #expect(try file.read(upTo: .max)?.frames == 100)
    #expect(try file.read(upTo: .max) == nil)
    try file.seek(to: .max)
    #expect(file.position == 100)
    try file.seek(to: .min)
    #expect(file.position == 0)
  }

  @Test("An existing file is replaced only on request")
  func replacing() throws {
    try scratch.write("kept", to: "a.wav")
    let format = AudioFormat(rate: 8_000, channels: 1, sample: .int16)
    #expect(throws: RecorderError.self) {
      try AudioFileWriter(scratch.path("a.wav"), format: format)
    }
    #expect(try String(contentsOf: scratch.file("a.wav"), encoding: .utf8) == "kept")
    try AudioFileWriter(scratch.file("a.wav"), format: format, replacing: true).close()
    #expect(try AudioFileReader(scratch.file("a.wav")).length == 0)
  }

  @Test(
    "A format that a file cannot hold is refused before there is a file",
    arguments: [
      ("a.flac", AudioFormat(rate: 48_000, channels: 1, sample: .float32)),
      ("a.opus", AudioFormat(rate: 44_100, channels: 1, sample: .int16)),
      ("a.flac", AudioFormat(rate: 48_000, channels: 9, sample: .int16)),
      ("a.xyz", AudioFormat(rate: 48_000, channels: 1, sample: .int16)),
      ("a", AudioFormat(rate: 48_000, channels: 1, sample: .int16)),
      ("a.wav", AudioFormat(rate: 0, channels: 1, sample: .int16)),
    ])
  func impossible(name: String, format: AudioFormat) throws {
    let error = #expect(throws: RecorderError.self) {
      try AudioFileWriter(scratch.path(name), format: format)
    }
    guard case .format(_, let alternatives) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!alternatives.isEmpty)
    #expect(try scratch.names.isEmpty)
  }

  @Test("Half a frame is refused and leaves the file unchanged")
  func halfFrame() throws {
    let file = try AudioFileWriter(
      scratch.path("a.wav"), format: AudioFormat(rate: 8_000, channels: 2, sample: .int16))
    #expect(throws: RecorderError.self) { try file.write([0, 0, 0]) }
    try file.write([0, 0, 0, 0])
    try file.close()
    #expect(throws: RecorderError.ended) { try file.write([0, 0]) }
    #expect(try AudioFileReader(scratch.path("a.wav")).length == 2)
  }

  @Test("A file that is not a sound is refused with the reason")
  func notASound() throws {
    try scratch.write("a text", to: "a.wav")
    let error = #expect(throws: RecorderError.self) { try AudioFileReader(scratch.path("a.wav")) }
    guard case .notASound(let path, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(path == scratch.path("a.wav"))
    let missing = #expect(throws: RecorderError.self) { try AudioFileReader(scratch.path("b.wav")) }
    #expect(try #require(missing).localizedDescription.contains("No such file"))
  }

  @Test("A buffer can be converted to bytes and back")
  func data() {
    let format = AudioFormat(rate: 8_000, channels: 2)
    let buffer = AudioBuffer([0, 0.5, -1, 1], format: format)
    #expect(buffer.data.count == 16)
    #expect(AudioBuffer(buffer.data, format: format).array == buffer.array)
    #expect(AudioBuffer(buffer.data.dropLast(), format: format).frames == 1)
  }

  @Test("A URL that is not a file URL is refused")
  func remote() throws {
    let url = try #require(URL(string: "https://example.org/a.wav"))
    #expect(throws: RecorderError.self) { try AudioFileReader(url) }
  }
}
