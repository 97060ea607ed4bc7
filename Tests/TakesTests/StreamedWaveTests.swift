import Audio
import Linux
import Support
import Testing

@testable import Files
@testable import Takes

@Suite("The header of a WAV stream")
struct StreamedWaveTests {
  private static let stream = StreamFormat(rate: .hz48000, channels: .mono, sample: .int16)

  @Test("has the length of whole frames at the end, wherever it begins", arguments: ["", "before"])
  func corrected(text: String) throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write("", to: "a.wav")
    let file = try Descriptor(opening: path, .readWrite)
    let before = Array(text.utf8)
    let samples: [UInt8] = [1, 2, 3, 4, 5]
    let header = StreamOutput.header(of: Self.stream, as: .wav)
    try file.writeAll(before.span)
    let found = StreamedWave(in: file, Self.stream, as: .wav)
    let wave = try #require(found)
    try file.writeAll(header.span)
    try file.writeAll(samples.span)
    wave.correct(in: file, audio: -1)
    #expect(try scratch.read("a.wav") == before + header + samples)
    wave.correct(in: file, audio: 5)
    let right = WaveHeader(Self.stream).bytes(audio: 4, end: Int64(header.count) + 4)
    #expect(try scratch.read("a.wav") == before + right + samples)
  }

  @Test("stays in a file that is opened for appending, in a device and in a raw stream")
  func unchanged() throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write("", to: "a.wav")
    let appended = StreamedWave(
      in: try Descriptor(opening: path, [.writeOnly, .append]), Self.stream, as: .wav)
    let device = StreamedWave(
      in: try Descriptor(opening: "/dev/null", .writeOnly), Self.stream, as: .wav)
    let raw = StreamedWave(in: try Descriptor(opening: path, .writeOnly), Self.stream, as: .raw)
    #expect(appended == nil && device == nil && raw == nil)
  }
}
