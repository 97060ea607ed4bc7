import Audio
import Foundation
import Support
import Synchronization
import Testing

@testable import Files

/// Four gigabytes that use almost no disk space: the silence in the middle is a hole.
@Suite("A WAV file past 4 GiB")
struct LargeFileTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static let stream = StreamFormat(
    rate: .hz48000, channels: ChannelCount(8) ?? .stereo, sample: .int32)
  static let blockFrames = 1 << 17
  static let blocks = 1_026
  static let tail = (0..<8_000).map { Int32($0 << 8) }
  static let frames = blocks * blockFrames + 1_000

  @Test("It is RF64 and readable to the last frame, with its marks", arguments: [true, false])
  func complete(_ isClosed: Bool) throws {
    let path = try record(isClosed: isClosed)
    if !isClosed {
      let repair = try SoundFileRepair.recover(CheckedFile(openFile(path), named: path), as: .wav)
      #expect(repair.frames == FrameCount(Self.frames))
    }
    try expectLibrary(path, cues: isClosed ? [Self.cue] : [])
  }

  @Test(
    "ffmpeg reads it from a place near the end",
    .enabled(if: Tool.isExpected("ffmpeg"), "ffmpeg is not installed"))
  func ffmpeg() throws { try expectFFmpeg(record(isClosed: true)) }

  // sox reads all of the 4 GiB before it knows that nothing follows them.
  @Test(
    "sox reads it to the last frame, in minutes", .requires("RECORDER_TEST_EVERY"),
    .enabled(if: Tool.isExpected("sox"), "sox is not installed"))
  func sox() throws { try expectSox(record(isClosed: true)) }

  @Test("A file killed past 4 GiB has the length of its last header update")
  func killed() throws {
    let path = try record(isClosed: false)
    let reader = try SoundFileReader(path: path)
    #expect(reader.frames == FrameCount(Self.blocks * Self.blockFrames))
  }

  @Test("The header becomes RF64 when a size exceeds 32 bits")
  func boundary() {
    let header = WaveHeader(Self.stream)
    let last = Int64(UInt32.max) + 7
    let names = [last, last + 1, last + 32].map { end in
      let bytes = header.bytes(audio: (end - Int64(header.count)) / 32 * 32, end: end)
      return bytes.name(at: 0) + bytes.name(at: 12)
    }
    #expect(names == ["RIFFJUNK", "RF64ds64", "RF64ds64"])
  }

  @Test("A file that a program wrote into a pipe is read to its end, and its repaired copy is RF64")
  func copy() throws {
    let (path, frames) = try foreign(size: .max)
    let file = try SurveyedFile(openFile(path), named: path)
    #expect(try file.flaw() == nil)
    try expectLast(of: file, frames, "WAV (Microsoft)")
    let copy = try #require(try file.waveCopy())
    let target = scratch["copy.wav"]
    try copy.write(
      from: CheckedFile(openFile(path), named: path, through: Self.skippingCalls),
      to: CheckedFile(scratch.create("copy.wav"), named: target, through: Self.skippingCalls))
    let repaired = try SurveyedFile(openFile(target), named: target)
    #expect(try repaired.flaw() == nil)
    #expect(try repaired.waveCopy() == nil)
    try expectLast(of: repaired, frames, "RF64")
  }

  @Test("A file with bytes after samples of a stated size gets no copy that needs 64 bits")
  func noCopy() throws {
    let (path, _) = try foreign(size: .max - 36)
    let file = try SurveyedFile(openFile(path), named: path)
    let flaw = try #require(try file.flaw())
    #expect(!flaw.isCutShort && flaw.trailingBytes > 0 && !flaw.isRepairable)
    let error = #expect(throws: SoundFileError.self) { try file.waveCopy() }
    #expect(error == .notRepairable(subject: path, .tooLarge))
    #expect(
      error?.description
        == "\"\(path)\": it is too large for the size fields of its WAV header")
  }

  /// The last sample of a file of another program.
  private static let last = Int16(0x1234)

  /// Writes a WAV file of another program whose header states a size of the samples. Returns its
  /// path, and the number of its mono frames.
  private func foreign(size: UInt32) throws -> (path: String, frames: Int) {
    var head = Array("RIFF".utf8) + UInt32.max.littleBytes + Array("WAVEfmt ".utf8)
    head += [16, 0, 0, 0, 1, 0, 1, 0, 0x80, 0xBB, 0, 0, 0, 0x77, 1, 0, 2, 0, 16, 0]
    head += Array("data".utf8) + size.littleBytes
    let path = try scratch.write(head, to: "pipe.wav")
    let file = try CheckedFile(openFile(path), named: path)
    let last = Self.last.littleBytes
    try file.write(last.span.bytes, at: 1 << 32 + 4_096)
    return (path, Int(file.end - Int64(head.count)) / 2)
  }

  /// System calls that skip the silence in the middle of a file.
  private static var skippingCalls: FileCalls {
    var calls = FileCalls()
    let (read, write) = (calls.read, calls.write)
    let middle = Int64(1 << 20)..<Int64(1 << 32 - 1 << 20)
    calls.read = { number, bytes, offset in
      middle.contains(offset) ? bytes.byteCount : read(number, &bytes, offset)
    }
    calls.write = { number, bytes, offset in
      middle.contains(offset) ? bytes.byteCount : write(number, bytes, offset)
    }
    return calls
  }

  /// Expects this number of frames, and `last` as the last sample.
  private func expectLast(of file: SurveyedFile, _ frames: Int, _ container: String) throws {
    let info = try file.info()
    #expect(info.frames == FrameCount(frames) && info.container.contains(container), "\(info)")
    var reader = try file.reader(of: 0)
    try reader.seek(to: FrameCount(frames - 1))
    let samples = try Ramp(kind: Kind(format: .wav, sample: .int16, channels: 1)).read(&reader)
    #expect(samples == [Int32(Self.last) << 16])
  }

  static let cue = SoundFileCue(at: FrameCount(frames - 1), label: "the end")

  private func record(isClosed: Bool) throws -> String {
    let isSilent = Atomic(false)
    var calls = FileCalls()
    let write = calls.write
    calls.write = { number, bytes, offset in
      isSilent.load(ordering: .relaxed) ? bytes.byteCount : write(number, bytes, offset)
    }
    let file = try CheckedFile(scratch.create("big.wav"), named: "big.wav", through: calls)
    let settings = SoundFileSettings(format: .wav, stream: Self.stream)
    var writer = try SoundFileWriter(file, settings)
    let silence = [Int32](repeating: 0, count: Self.blockFrames * 8)
    isSilent.store(true, ordering: .relaxed)
    for _ in 0..<Self.blocks { try writer.write(silence.span.bytes, of: .int32) }
    isSilent.store(false, ordering: .relaxed)
    try writer.updateHeader()
    try writer.write(Self.tail.span.bytes, of: .int32)
    if isClosed { try writer.close(cues: [Self.cue]) } else { drop(writer) }
    return scratch["big.wav"]
  }

  private func drop(_ writer: consuming SoundFileWriter) {}

  private func expectLibrary(_ path: String, cues: [SoundFileCue]) throws {
    var reader = try SoundFileReader(path: path)
    #expect(reader.frames == FrameCount(Self.frames))
    #expect(reader.info.container.contains("RF64"))
    #expect(reader.info.cues == cues)
    try reader.seek(to: FrameCount(Self.frames - 1_000))
    let kind = Kind(format: .wav, sample: .int32, channels: 8)
    #expect(try Ramp(kind: kind).read(&reader) == Self.tail)
  }

  private func expectSox(_ path: String) throws {
    let format = ["-t", "raw", "-e", "signed-integer", "-b", "32"]
    let result = try Tool.run(
      "sox", [path] + format + [scratch["raw"], "trim", "\(Self.frames - 1_000)s"])
    #expect(result.status == 0, "\(result.errors)")
    try expectTail()
  }

  private func expectFFmpeg(_ path: String) throws {
    let start = Double(Self.frames - 1_000) / 48_000
    let result = try Tool.run(
      "ffmpeg",
      ["-v", "error", "-y", "-ss", "\(start)", "-i", path, "-f", "s32le", scratch["raw"]])
    #expect(result.status == 0, "\(result.errors)")
    try expectTail()
  }

  private func expectTail() throws {
    let bytes = try contents(of: scratch["raw"])
    let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) }
    #expect(samples == Self.tail)
  }
}
