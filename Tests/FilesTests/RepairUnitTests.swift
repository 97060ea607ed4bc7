import Audio
import Support
import Testing

@testable import Files

@Suite("Frames and pages")
struct RepairUnitTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("The checksums of 123456789 match the published values")
  func checksums() {
    let digits = Array("123456789".utf8)
    #expect(CyclicChecksum.flacHeader(digits.span) == 0xF4)
    #expect(CyclicChecksum.flacFrame(digits.span) == 0xFEE8)
    #expect(CyclicChecksum.oggPage(digits.span) == 0x89A1_897F)
  }

  @Test("Bits are read across bytes, and never past the end")
  func bits() throws {
    let bytes: [UInt8] = [0b1010_0000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0b0001_1111]
    var reader = BitReader(bytes.span)
    #expect(try reader.number(3) == 5)
    #expect(try reader.zeros() == 80)
    #expect(try reader.number(4) == 15)
    #expect(reader.bytesRead == 11)
    #expect(flaw { () throws(UnitFlaw) in _ = try reader.number(1) } == .incomplete)
    var empty = BitReader(bytes.span.extracting(1..<10))
    #expect(flaw { () throws(UnitFlaw) in _ = try empty.zeros() } == .incomplete)
  }

  @Test("A frame of any content is parsed with its exact length", arguments: [0, 5, 8])
  func content(_ level: Int) throws {
    var random = SeededGenerator(seed: 4)
    var samples = [Int32](repeating: 0, count: 9_000)
    samples += (0..<9_000).map { _ in Int32.random(in: .min ... .max, using: &random) }
    samples += (0..<9_000).map { Int32($0 % 64) << 24 }
    samples += (0..<9_000).map { Int32($0.isMultiple(of: 2) ? $0 : -$0) << 10 }
    for (channels, sample) in [(1, SampleFormat.int16), (2, .int24Packed), (6, .int16)] {
      var settings = try Kind(format: .flac, sample: sample, channels: channels).settings()
      settings.flacLevel = level
      var writer = try SoundFileWriter(scratch.create("a.flac"), named: "a.flac", settings)
      try writer.write(samples.span)
      try writer.close()
      let file = try CheckedFile(openFile(scratch["a.flac"]), named: "a.flac")
      let recovery = try file.recover(as: .flac)
      #expect(recovery.wasIntact)
      #expect(recovery.frames == FrameCount(samples.count / channels))
    }
  }

  @Test("One wrong bit anywhere in a frame or a page is detected")
  func wrong() throws {
    let flac = try RepairTake(
      Kind(format: .flac, sample: .int16), frames: 2_304, noise: 90, in: scratch)
    let opus = try RepairTake(Kind(format: .opus, sample: .int16), frames: 9_600, in: scratch)
    let info = try #require(FLACStreamInfo(parsing: flac.closed))
    let frame = try #require(flac.closed.firstRange(of: [0xFF, 0xF8])).lowerBound
    for index in stride(from: 0, to: (flac.closed.count - frame) * 8, by: 61) {
      var bytes = Array(flac.closed[frame...])
      bytes[index / 8] ^= 1 << UInt8(index % 8)
      #expect(
        flaw { () throws(UnitFlaw) in _ = try FLACFrame(parsing: bytes.span, of: info) } != nil)
    }
    for index in stride(from: 0, to: opus.units[1].end * 8 - opus.units[0].end * 8, by: 61) {
      var bytes = Array(opus.closed[opus.units[0].end..<opus.units[1].end])
      bytes[index / 8] ^= 1 << UInt8(index % 8)
      #expect(flaw { () throws(UnitFlaw) in _ = try OggPage(parsing: bytes.span) } != nil)
    }
  }

  @Test(
    "A page with a position that no stream has is none of ours",
    arguments: [4_503_599_627_370_497, 1 << 62, .max] as [Int64])
  func position(granule: Int64) throws {
    let opus = try RepairTake(Kind(format: .opus, sample: .int16), frames: 9_600, in: scratch)
    #expect(try OpusHead(parsing: opus.closed).frames(upTo: granule) > 0)
    let whole = try #require(opus.units.dropLast().last)
    var position: [UInt8] = []
    position.append(little: granule)
    var page = Array(opus.closed[whole.end...])
    page.replaceSubrange(6..<14, with: position)
    let ending = OggPage.ending(page, at: 0)
    page[5] = UInt8(ending.flags)
    var checksum: [UInt8] = []
    checksum.append(little: ending.checksum)
    page.replaceSubrange(22..<26, with: checksum)
    let bytes = opus.closed[..<whole.end] + page
    let path = try scratch.write(Array(bytes), to: "claim")
    let recovery = try CheckedFile(openFile(path), named: path).recover(as: .opus)
    #expect(recovery.frames == FrameCount(whole.frames))
  }

  private func flaw(_ body: () throws(UnitFlaw) -> Void) -> UnitFlaw? {
    do {
      try body()
      return nil
    } catch {
      return error
    }
  }
}
