import Audio
import Foundation
import Linux
import Support
import Testing

@testable import Files

@Suite("Marks as chapters in comments")
struct ChapterTests {
  private static let stream = StreamFormat(rate: .hz48000, channels: .mono, sample: .float32)

  private static func cues(_ count: Int) -> [SoundFileCue] {
    (0..<count).map {
      SoundFileCue(
        at: FrameCount(480 * $0), label: "mark \($0) \(String(repeating: "ü", count: $0 % 90))")
    }
  }

  /// Writes a second of a constant sample value with chapters and returns the path.
  private func write(
    _ format: FileFormat, _ cues: [SoundFileCue], in scratch: borrowing ScratchDirectory
  ) throws -> String {
    let path = scratch.path("a.\(format.rawValue)")
    let file = try Descriptor(opening: path, [.readWrite, .create])
    let samples = [Float](repeating: 0.25, count: 48_000)
    let tags: SoundFileTags = [.title: "Title", .license: "free"]
    var stream = Self.stream
    if format == .flac { stream.sample = .int16 }
    var settings = SoundFileSettings(format: format, stream: stream, tags: tags)
    settings.chapters = cues
    var writer = try SoundFileWriter(file, named: path, settings)
    try writer.write(samples.span.bytes, of: .float32)
    try writer.close()
    return path
  }

  @Test(
    "They come back with their labels, over a page of Ogg and beyond",
    arguments: [FileFormat.flac, .ogg, .opus], [0, 1, 3, 90, 1_500])
  func roundTrip(format: FileFormat, count: Int) throws {
    let scratch = try ScratchDirectory()
    let cues = Self.cues(count)
    let path = try write(format, cues, in: scratch)
    let info = try SoundFileReader(path: path).info
    // All comments of an Opus file are in one page, which limits their number.
    #expect(info.cues.count == count || (format == .opus && count > 500 && info.cues.count > 200))
    #expect(info.cues.map(\.label) == cues.prefix(info.cues.count).map(\.label))
    #expect(zip(info.cues, cues).allSatisfy { abs($0.frame.value - $1.frame.value) <= 24 })
    #expect(info.tags[.title] == "Title" && info.frames == 48_000)
    if let ffmpeg = Tool("ffmpeg") {
      let check = try ffmpeg.run(["-v", "error", "-i", path, "-f", "null", "-"])
      #expect(check.status == 0 && check.errors == "", "\(check.errors)")
    }
  }

  @Test("A file without space for them is not changed, and the error says why")
  func noSpace() throws {
    let scratch = try ScratchDirectory()
    let path = try write(.flac, [], in: scratch)
    let bytes = try contents(of: path)
    let error = #expect(throws: SoundFileError.self) {
      let file = try CheckedFile(openFile(path), named: path)
      try VorbisChapters.put(Self.cues(3), in: file, at: .hz48000)
    }
    #expect(error == .notRepairable(subject: path, .noPlaceholder))
    #expect(error?.description == "\"\(path)\": it has no space for the marks")
    #expect(try contents(of: path) == bytes)
  }

  @Test("Damaged comments hold no chapters and do no harm")
  func damaged() throws {
    let list = VorbisChapters.list(Self.cues(3), at: .hz48000)
    var whole: [UInt8] = [0, 0, 0, 0]
    whole.append(little: UInt32(list.count))
    whole += list.bytes
    #expect(try VorbisChapters.read(#require(VorbisComments(whole)), at: .hz48000).count == 3)
    for end in 0..<whole.count { #expect(VorbisComments(Array(whole[..<end])) == nil) }
    for place in whole.indices {
      var bytes = whole
      bytes[place] ^= 0xFF
      guard let comments = VorbisComments(bytes) else { continue }
      _ = VorbisChapters.read(comments, at: .hz48000)
    }
  }
}
