import Audio
import Support
import Testing

@testable import Files

@Suite("Frames and pages")
struct RepairUnitTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func file(_ bytes: some Sequence<UInt8>) throws -> CheckedFile {
    try CheckedFile(openFile(scratch.write(Array(bytes), to: "a")), named: "a")
  }

  @Test("A sealed page has the checksum of RFC 3533")
  func checksum() throws {
    var page: [UInt8] = Array("OggS".utf8) + [UInt8](repeating: 7, count: 40)
    page[26] = 1
    try OggPage.seal(&page)
    #expect(page.number(at: 22, as: UInt32.self) == Self.checksum(of: page))
  }

  /// The checksum bit by bit (RFC 3533, 6).
  private static func checksum(of page: [UInt8]) -> UInt32 {
    var page = page
    page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    return page.reduce(0) { register, byte in
      (0..<8).reduce(register ^ UInt32(byte) << 24) { value, _ in
        value >> 31 == 0 ? value << 1 : value << 1 ^ 0x04C1_1DB7
      }
    }
  }

  @Test("Frames behind damage have their own positions")
  func damagedFrames() throws {
    let take = try RepairTake(
      Kind(format: .flac, sample: .int16), frames: 30_000, noise: 900, in: scratch)
    var bytes = take.closed
    bytes[take.units[1].end + 50] ^= 1
    bytes.insert(contentsOf: [0xFF, 0xF8, 0xC9], at: take.units[4].end)
    let damaged = try file(bytes)
    var frames = try FLACFrames(FileView(0..<damaged.end), of: damaged)
    var found: [(end: Int64, start: Int64, isAfterDamage: Bool)] = []
    while let frame = try frames.next() {
      found.append((frame.end, frame.samples.lowerBound, frame.isAfterDamage))
    }
    let kept = take.units.indices.filter { $0 != 2 }
    #expect(found.map(\.end) == kept.map { Int64(take.units[$0].end + ($0 > 4 ? 3 : 0)) })
    #expect(found.map(\.start) == kept.map { $0 == 0 ? 0 : Int64(take.units[$0 - 1].frames) })
    #expect(found.map(\.isAfterDamage) == kept.map { $0 == 3 || $0 == 5 })
  }

  @Test("Pages are found between bytes that only look like pages")
  func damagedPages() throws {
    let take = try RepairTake(Kind(format: .opus, sample: .int16), frames: 48_000, in: scratch)
    // A header of the longest page, which would end after the file.
    let claim = Array(take.closed[..<26]) + [UInt8](repeating: 255, count: 256)
    let split = take.units[take.units.count - 3].end
    let bytes = take.closed[..<split] + claim + take.closed[split...] + claim
    var pages = try OggPages(of: file(bytes))
    var ends: [Int64] = []
    while let page = try pages.next() { ends.append(page.range.upperBound) }
    #expect(
      ends
        == take.units.map { Int64($0.end <= split ? $0.end : $0.end + claim.count) })
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
      try writer.write(samples.span.bytes, of: .int32)
      try writer.close()
      let file = try CheckedFile(openFile(scratch["a.flac"]), named: "a.flac")
      let recovery = try SoundFileRepair.recover(file, as: .flac)
      #expect(recovery.wasIntact)
      #expect(recovery.frames == FrameCount(samples.count / channels))
    }
  }

  @Test("One wrong bit anywhere in a frame or a page is detected")
  func wrong() throws {
    let flac = try RepairTake(
      Kind(format: .flac, sample: .int16), frames: 2_304, noise: 90, in: scratch)
    let opus = try RepairTake(Kind(format: .opus, sample: .int16), frames: 9_600, in: scratch)
    let frame = try #require(flac.closed.firstRange(of: [0xFF, 0xF8])).lowerBound
    for index in stride(from: 0, to: (flac.closed.count - frame) * 8, by: 61) {
      var bytes = flac.closed
      bytes[frame + index / 8] ^= 1 << UInt8(index % 8)
      let damaged = try file(bytes)
      var frames = try FLACFrames(FileView(0..<damaged.end), of: damaged)
      #expect(try frames.next() == nil)
    }
    for index in stride(from: 0, to: opus.units[1].end * 8 - opus.units[0].end * 8, by: 61) {
      var bytes = Array(opus.closed[opus.units[0].end..<opus.units[1].end])
      bytes[index / 8] ^= 1 << UInt8(index % 8)
      var pages = try OggPages(of: file(bytes))
      #expect(try pages.next() == nil)
    }
  }

  @Test(
    "A page with a position that no stream has is none of ours",
    arguments: [4_503_599_627_370_497, 1 << 62, .max] as [Int64])
  func position(granule: Int64) throws {
    let opus = try RepairTake(Kind(format: .opus, sample: .int16), frames: 9_600, in: scratch)
    let closed = try file(opus.closed)
    var pages = try OggPages(of: closed)
    let head = try OpusHead(of: closed, on: #require(try pages.next()))
    #expect(try #require(head).frames(upTo: granule) > 0)
    let whole = try #require(opus.units.dropLast().last)
    var position: [UInt8] = []
    position.append(little: granule)
    var page = Array(opus.closed[whole.end...])
    page.replaceSubrange(6..<14, with: position)
    try OggPage.seal(&page)
    let bytes = opus.closed[..<whole.end] + page
    let path = try scratch.write(Array(bytes), to: "claim")
    let recovery = try SoundFileRepair.recover(CheckedFile(openFile(path), named: path), as: .opus)
    #expect(recovery.frames == FrameCount(whole.frames))
  }
}
