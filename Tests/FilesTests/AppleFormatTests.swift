import Audio
import Foundation
import Testing

@testable import Files

@Suite("CAF and AIFF files")
struct AppleFormatTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// The end of a take: closed, or killed between two updates of its header.
  enum Ending: CaseIterable { case closed, killed }

  private static let frames = 1_001

  /// Writes the file of a take, whose header states `frames` frames, and returns its path.
  private func make(_ kind: Kind, _ ending: Ending) throws -> String {
    let name = "made.\(kind.format.suffixes[0])"
    var writer = try SoundFileWriter(scratch.create("making"), named: "making", kind.settings())
    try Ramp(kind: kind).write(0..<Self.frames, to: &writer)
    try writer.updateHeader()
    if ending == .killed {
      try Ramp(kind: kind).write(Self.frames..<(Self.frames + 99), to: &writer)
      try FileManager.default.copyItem(atPath: scratch["making"], toPath: scratch[name])
    }
    try writer.close()
    if ending == .closed {
      try FileManager.default.moveItem(atPath: scratch["making"], toPath: scratch[name])
    }
    return scratch[name]
  }

  @Test(
    "ffmpeg reads them, also while they are written",
    .enabled(if: Tool.isExpected("ffmpeg"), "ffmpeg is not installed"),
    arguments: Kind.apple, Ending.allCases)
  func ffmpeg(_ kind: Kind, _ ending: Ending) throws {
    let path = try make(kind, ending)
    let format = kind.sample.isFloat ? "f32le" : "s32le"
    let result = try Tool.run(
      "ffmpeg", ["-v", "error", "-y", "-i", path, "-f", format, scratch["raw"]])
    #expect(result.status == 0 && !result.errors.contains("rror"), "\(result.errors)")
    try expectRamp(kind)
  }

  @Test(
    "sox reads AIFF", .enabled(if: Tool.isExpected("sox"), "sox is not installed"),
    arguments: Kind.apple.filter { $0.format == .aiff }, Ending.allCases)
  func sox(_ kind: Kind, _ ending: Ending) throws {
    let encoding = kind.sample.isFloat ? "floating-point" : "signed-integer"
    let path = try make(kind, ending)
    let result = try Tool.run(
      "sox", ["-D", path, "-t", "raw", "-e", encoding, "-b", "32", scratch["raw"]])
    #expect(result.status == 0, "\(result.errors)")
    try expectRamp(kind)
  }

  @Test("A killed take has every whole frame after its recovery", arguments: Kind.apple)
  func recovered(_ kind: Kind) throws {
    let whole = try contents(of: make(kind, .killed))
    let stream = try kind.settings().stream
    let header = try #require(AppleHeader(kind.format, stream))
    // Every size within the header, near the end that the header states, and near the end of the
    // file.
    let stated = header.count + Self.frames * stream.bytesPerFrame
    let sizes =
      Array(0..<(header.count + 30)) + Array((stated - 30)...(stated + 30))
      + Array((whole.count - 30)...whole.count)
    for size in sizes {
      let path = try scratch.write(Array(whole.prefix(size)), to: "killed")
      let frames = max(0, size - header.count) / stream.bytesPerFrame
      let recovery = try SoundFileRepair.recover(
        CheckedFile(openFile(path), named: path), as: kind.format)
      #expect(recovery.frames == FrameCount(frames), "\(size)")
      guard frames > 0 else {
        #expect(try contents(of: path) == Array(whole.prefix(size)))
        continue
      }
      let again = try SoundFileRepair.recover(
        CheckedFile(openFile(path), named: path), as: kind.format)
      #expect(again.wasIntact && again.frames == recovery.frames, "\(size)")
      var reader = try SoundFileReader(path: path)
      let samples = try Ramp(kind: kind).read(&reader)
      #expect(samples == Ramp(kind: kind).samples(0..<(frames * kind.channels)), "\(size)")
    }
  }

  @Test("A closed file is intact, and a file of another program is unchanged")
  func intact() throws {
    for kind in Kind.apple {
      let path = try make(kind, .closed)
      let bytes = try contents(of: path)
      let recovery = try SoundFileRepair.recover(
        CheckedFile(openFile(path), named: path), as: kind.format)
      #expect(recovery.wasIntact && recovery.frames == FrameCount(Self.frames), "\(kind)")
      #expect(try contents(of: path) == bytes)
      // The changed byte is the version of CAF, or the size of AIFF's common chunk.
      var foreign = bytes
      foreign[kind.format == .caf ? 5 : 19] = 99
      let other = try scratch.write(foreign, to: "foreign")
      #expect(throws: SoundFileError.notRepairable(subject: other, .foreignHeader)) {
        try SoundFileRepair.recover(CheckedFile(openFile(other), named: other), as: kind.format)
      }
      #expect(try contents(of: other) == foreign)
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test("The label of an AIFF mark is cut before the first character that does not fit")
  func longLabel() throws {
    let stream = StreamFormat(rate: .hz48000, channels: .mono, sample: .int16)
    let header = try #require(AppleHeader(.aiff, stream))
    let start = String(repeating: "a", count: 254)
    let tail = header.tail(cues: [SoundFileCue(at: 3, label: start + "üz")], tags: [:])
    // The chunk's head, the number of marks, and the mark's identifier and position.
    let label = tail.dropFirst(8 + 2 + 2 + 4)
    #expect(label.elementsEqual([254] + start.utf8 + [0]))
  }

  private func expectRamp(_ kind: Kind) throws {
    let bytes = try contents(of: scratch["raw"])
    let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) }
    // The file of a killed take may be read to its end, although its header states fewer frames.
    #expect(samples.count >= Self.frames * kind.channels)
    #expect(samples == Ramp(kind: kind).samples(0..<samples.count))
  }
}
