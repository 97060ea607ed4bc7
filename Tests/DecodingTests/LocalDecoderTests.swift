import Audio
import Decoding
import Files
import Foundation
import Linux
import Support
import Testing

@Suite("A decoder within the process", .timeLimit(.minutes(2)))
struct LocalDecoderTests {
  private static let format = StreamFormat(rate: .hz48000, channels: .mono, sample: .float32)
  private static let order = DecodeOrder(name: "a.wav", format: format)

  /// A WAV file whose frames count up from 0.
  private func ramp(_ frames: Int, claiming claimed: Int? = nil) -> [UInt8] {
    let size = 2 * (claimed ?? frames)
    func little(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return Array("RIFF".utf8) + little(36 + size, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
      + little(1, 2) + little(1, 2) + little(48_000, 4) + little(96_000, 4) + little(2, 2)
      + little(16, 2) + Array("data".utf8) + little(size, 4)
      + (0..<frames).flatMap { little($0 % 30_000, 2) }
  }

  private func decoder(
    _ bytes: [UInt8], in scratch: borrowing ScratchDirectory, from first: FrameCount = 0
  ) throws -> LocalDecoder {
    let path = scratch.path("a.wav")
    try Data(bytes).write(to: URL(filePath: path))
    return try LocalDecoder(Descriptor(opening: path), Self.order, from: first)
  }

  private func values(_ bytes: [UInt8]) -> [Int] {
    bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }.map { Int($0 * 32_768) }
  }

  @Test("The decoder reports the length, then returns every frame from the requested one on")
  func frames() throws {
    let scratch = try ScratchDirectory()
    for first in [0, 1, 70_000] {
      let decoder = try decoder(ramp(100_000), in: scratch, from: FrameCount(first))
      #expect(try decoder.head() == DecodedHead(.float32, length: 100_000))
      let all = try values(decoder.all())
      #expect(all == (first..<100_000).map { $0 % 30_000 })
    }
  }

  @Test("A file that ends early is decoded to its end, and its head names the missing frames")
  func cutShort() throws {
    let scratch = try ScratchDirectory()
    let decoder = try decoder(ramp(10, claiming: 20), in: scratch)
    let head = try decoder.head()
    #expect(head.length == 10 && head.flaw?.missing == 10 && head.flaw?.isCutShort == true)
    #expect(try values(decoder.all()) == Array(0..<10))
  }

  /// Returns a Creative Voice file with three streams of 101 frames: at 8,000, 10,000 and 8,000 Hz.
  private func voice() -> [UInt8] {
    var bytes = Array("Creative Voice File\u{1A}".utf8)
    bytes += [26, 0, 10, 1, 0x29, 0x11]
    for rate: UInt8 in [131, 156, 131] {
      bytes += [1, 103, 0, 0, rate, 0]
      bytes += [UInt8](repeating: 0x90, count: 101)
    }
    return bytes + [0]
  }

  @Test("The streams of a file together have the length that is counted for the file")
  func streams() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.path("a.voc")
    try Data(voice()).write(to: URL(filePath: path))
    let info = try SurveyedFile(Descriptor(opening: path), named: "a.voc", among: .all).info()
    let length = try #require(info.frames).converted(from: info.rate, to: .hz44100)
    // The rounded lengths of the streams have the sum 1,559.
    #expect(length == 1_560)
    let format = StreamFormat(rate: .hz44100, channels: .mono, sample: .float32)
    let order = DecodeOrder(name: "a.voc", format: format)
    for first in [FrameCount(0), 600, 1_100, 1_559] {
      let decoder = try LocalDecoder(Descriptor(opening: path), order, from: first)
      #expect(try decoder.head().length == length)
      #expect(try decoder.all().count == 4 * Int((length - first).value))
    }
  }

  @Test("A file without a frame, or without sound, is refused with its fault")
  func broken() throws {
    let scratch = try ScratchDirectory()
    let cutOff = try decoder(ramp(0, claiming: 20), in: scratch)
    #expect(try cutOff.head().length == nil)
    #expect(throws: SoundFileError.self) { try cutOff.all() }
    let text = try decoder(Array("no sound at all, but some words".utf8), in: scratch)
    #expect(throws: SoundFileError.self) { try text.all() }
  }

  @Test("A sound above the size limit is refused")
  func tooLong() throws {
    let scratch = try ScratchDirectory()
    let decoder = try decoder(ramp(100_000), in: scratch)
    #expect(throws: DecodingError.tooLong(bytes: 100_000)) {
      try decoder.run(upTo: 100_000) { _ in }
    }
  }

  @Test("The decoder reads at most one step ahead, and its thread ends when it is abandoned")
  func abandoned() throws {
    let scratch = try ScratchDirectory()
    try Data(ramp(2_000_000)).write(to: URL(filePath: scratch.path("a.wav")))
    let file = try Descriptor(opening: scratch.path("a.wav"))
    let number = try heldDescriptors()
    var decoder: LocalDecoder? = try LocalDecoder(file, Self.order, from: 0)
    var bytes = [UInt8](repeating: 0, count: 400)
    #expect(try decoder?.read(into: &bytes) == 400)
    #expect(values(bytes) == Array(0..<100))
    decoder?.abandon()
    decoder = nil
    // The thread holds a duplicate of the file until it ends.
    try eventually { try heldDescriptors() <= number }
  }

  private func heldDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }
}

extension FrameSupply {
  /// Returns the bytes of all remaining frames.
  func all() throws -> [UInt8] {
    var bytes: [UInt8] = []
    try run { piece in bytes += piece.withUnsafeBytes { Array($0) } }
    return bytes
  }
}
