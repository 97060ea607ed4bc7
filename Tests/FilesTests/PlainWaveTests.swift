import Audio
import Foundation
import Linux
import Testing

@testable import Files

@Suite("A WAV file that needs no library")
struct PlainWaveTests {
  private static let sounds = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Resources/Sounds").standardizedFileURL.path

  @Test("Every bundled sound is read with the same result as by libsndfile")
  func asLibrary() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.sounds)
    #expect(names.count >= 24)
    for name in names {
      let path = Self.sounds + "/" + name
      let plain = try PlainWave(Descriptor(opening: path), named: name)
      let library = try SoundFileReader(path: path)
      #expect(plain.rate == library.rate && plain.channels == library.channels, "\(name)")
      #expect(plain.frames == library.frames, "\(name)")
      let read = try samples(plain)
      #expect(!read.isEmpty)
      #expect(try samples(library) == read, "\(name)")
    }
  }

  @Test(
    "It seeks to any frame, and past the end to the end", arguments: [0, 1, 999, 1_000, 5_000])
  func seeking(frame: Int64) throws {
    let scratch = try Scratch()
    let values = Array(Int16(-500)..<500)
    let path = try scratch.write(wave(values), to: "a.wav")
    var reader = try PlainWave(Descriptor(opening: path), named: "a")
    reader.seek(to: FrameCount(frame))
    let rest = values.dropFirst(Int(frame)).map { Float($0) / 32_768 }
    #expect(try samples(reader) == rest)
  }

  private static let others: [(String, Int, UInt8)] = [
    ("eight bits", 34, 8), ("24 bits", 34, 24), ("floats", 20, 3), ("a longer format", 16, 18),
    ("no channel", 22, 0), ("another chunk", 36, 0x4C), ("AIFF", 0, 0x46),
  ]

  @Test("Any other file is refused", arguments: others)
  func refused(what: String, place: Int, byte: UInt8) throws {
    let scratch = try Scratch()
    var bytes = wave([1, 2, 3, 4])
    bytes[place] = byte
    let path = try scratch.write(bytes, to: "a.wav")
    #expect(throws: SoundFileError.notSound(subject: "a"), "\(what)") {
      _ = try PlainWave(Descriptor(opening: path), named: "a")
    }
  }

  @Test("A file that ends early is read to its last whole frame", arguments: [46, 50, 51])
  func cutShort(count: Int) throws {
    let scratch = try Scratch()
    let path = try scratch.write(Array(wave([1, 2, 3, 4]).prefix(count)), to: "a.wav")
    let reader = try PlainWave(Descriptor(opening: path), named: "a")
    let frames = (count - 44) / 2
    #expect(reader.frames == FrameCount(frames))
    #expect(reader.flaw?.missing == FrameCount(4 - frames) && reader.flaw?.isCutShort == true)
    #expect(try samples(reader) == [1, 2, 3].prefix(frames).map { $0 / 32_768 })
  }

  @Test("A file that ends before its first frame is refused", arguments: [0, 43, 44, 45])
  func cutOff(count: Int) throws {
    let scratch = try Scratch()
    let path = try scratch.write(Array(wave([1, 2, 3, 4]).prefix(count)), to: "a.wav")
    #expect(throws: SoundFileError.self) {
      _ = try PlainWave(Descriptor(opening: path), named: "a")
    }
  }

  /// Returns a file with the shortest possible header and mono samples at 48 kHz.
  private func wave(_ values: [Int16]) -> [UInt8] {
    var bytes = Array("RIFF".utf8)
    bytes.append(little: UInt32(36 + 2 * values.count))
    bytes += Array("WAVEfmt ".utf8)
    bytes.append(little: UInt32(16))
    for number in [1, 1] as [UInt16] { bytes.append(little: number) }
    for number in [48_000, 96_000] as [UInt32] { bytes.append(little: number) }
    for number in [2, 16] as [UInt16] { bytes.append(little: number) }
    bytes += Array("data".utf8)
    bytes.append(little: UInt32(2 * values.count))
    for value in values { bytes.append(little: value) }
    return bytes
  }

  private func samples<Reader: FrameReader & ~Copyable>(
    _ reader: consuming Reader
  ) throws -> [Float] {
    var block = [Float](repeating: 0, count: 777 * reader.channels.value)
    var all: [Float] = []
    while true {
      var span = block.mutableSpan
      let count = try reader.read(into: &span)
      if count == 0 { return all }
      all += block.prefix(count * reader.channels.value)
    }
  }
}
