import Audio
import Foundation
import Linux
import Support
import Testing

@testable import Files

@Suite("Streams in files of other programs")
struct SurveyTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns silent frames of MPEG-1 Layer III at 128 kbit/s, mono.
  private static func frames(_ count: Int, hertz: Int = 44_100) -> [UInt8] {
    let rate: UInt8 = hertz == 48_000 ? 1 : 0
    let bytes = 144_000 * 128 / hertz
    let frame = [0xFF, 0xFB, 0x90 | rate << 2, 0xC0] + [UInt8](repeating: 0, count: bytes - 4)
    return Array(repeatElement(frame, count: count).joined())
  }

  /// Returns a Xing frame that claims `claim` other frames.
  private static func info(_ claim: UInt32) -> [UInt8] {
    var frame = frames(1)
    var field: [UInt8] = []
    field.append(little: claim.byteSwapped)
    frame.replaceSubrange(21..<33, with: Array("Xing".utf8) + [0, 0, 0, 1] + field)
    return frame
  }

  private func survey(_ bytes: [UInt8]) throws -> SoundSurvey {
    let path = try scratch.write(bytes, to: "a")
    let file = try CheckedFile(Descriptor(opening: path), named: path)
    return try FileSurvey(file).survey(among: .all)
  }

  private static let id3 = Array("ID3\u{3}\0\0\0\0\0\u{A}".utf8) + [UInt8](repeating: 7, count: 10)
  private static let ape =
    Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xA0]
    + [UInt8](repeating: 0, count: 48)
  private static let oldTag = Array("TAG".utf8) + [UInt8](repeating: 32, count: 125)
  private static let lyrics = Array("LYRICSBEGINla la laLYRICSEND".utf8)

  @Test(
    "Frames of MPEG audio are counted, with other data before, between and after them",
    arguments: [
      ([], [], []), (id3, [], []), (ape, [], oldTag), ([], id3, lyrics + oldTag),
      ([], ape + oldTag, [UInt8](repeating: 0, count: 4_000)),
      (Array(frames(2).dropFirst(100)), [], Array(frames(1).prefix(300))),
      ([UInt8](repeating: 0, count: 999), [], []),
    ])
  func counted(before: [UInt8], between: [UInt8], behind: [UInt8]) throws {
    let found = try survey(before + Self.frames(9) + between + Self.frames(4) + behind)
    let whole = Self.frames(2).count - 100 == before.count ? 1 : 0
    #expect(found.streams.count == 1)
    #expect(found.streams.first?.frames == FrameCount((13 + whole) * 1_152))
    #expect(found.fault == nil && found.hasSamples)
  }

  @Test("A stream that states its length gets the correct number", arguments: [9, 10, 7, 0])
  func claimed(claim: Int) throws {
    let found = try survey(Self.info(UInt32(claim)) + Self.frames(9))
    #expect(found.streams.count == 1 && found.fault == nil)
    let view = try #require(found.streams.first?.view)
    #expect(view.count == Int64(Self.frames(10).count))
    let file = try CheckedFile(Descriptor(opening: scratch["a"]), named: "a")
    var bytes = [UInt8](repeating: 0, count: 4)
    var span = bytes.mutableSpan
    var raw = span.mutableBytes
    #expect(try view.read(into: &raw, at: 29, of: file) == 4)
    #expect(bytes == [0, 0, 0, 9])
  }

  @Test("A stream with fewer frames than it claims is cut off")
  func cutOff() throws {
    let found = try survey(Self.info(20) + Self.frames(9))
    #expect(found.fault == .cutOff(subject: scratch["a"], expected: nil, actual: 4_170))
    #expect(found.streams.first?.missing == FrameCount(11 * 1_152))
  }

  @Test("One missing frame is a fault only if the file ends within it")
  func tornFrame() throws {
    let whole = Self.info(10) + Self.frames(10)
    #expect(try survey(whole).fault == nil)
    #expect(try survey(whole.dropLast()).fault != nil)
    #expect(try survey(Self.info(10) + Self.frames(9)).fault == nil)
  }

  @Test("Bytes after the last frame are counted, except tags and zeros")
  func trailingBytes() throws {
    let noise = [UInt8](repeating: 0x81, count: 50)
    let zeros = [UInt8](repeating: 0, count: 200)
    let sound = Self.frames(9)
    #expect(try survey(sound + noise).trailingBytes == 50)
    #expect(try survey(sound + zeros + Self.ape + Self.oldTag).trailingBytes == 0)
    #expect(try survey(sound + zeros + noise + zeros).trailingBytes == 250)
  }

  @Test("A chunk after the samples that is incomplete is a fault, and noise is not a chunk")
  func chunksAfterSamples() throws {
    var header = Array("RIFF\0\0\0\0WAVEfmt \u{10}\0\0\0\u{1}\0\u{1}\0".utf8)
    header += [0x80, 0xBB, 0, 0, 0, 0x77, 1, 0, 2, 0, 16, 0]
    let samples = header + Array("data\u{4}\0\0\0".utf8) + [1, 2, 3, 4]
    let list = Array("LIST\u{8}\0\0\0INFOabcd".utf8)
    #expect(try survey(samples + list).fault == nil)
    #expect(try survey(samples + list).trailingBytes == 0)
    #expect(try survey(samples + list.dropLast()).fault != nil)
    let noisy = try survey(samples + list + [0x81, 0x82, 0x83])
    #expect(noisy.fault == nil && noisy.trailingBytes == 3)
  }

  @Test("Another header, another rate or frames beyond the claim begin another stream")
  func joined() throws {
    let second = Self.info(4) + Self.frames(4)
    let found = try survey(
      Self.info(9) + Self.frames(9) + second + Self.frames(5, hertz: 48_000))
    #expect(found.streams.count == 3)
    #expect(found.streams.last?.frames == FrameCount(5 * 1_152))
    let excess = try survey(Self.info(9) + Self.frames(9) + Self.frames(30))
    #expect(excess.streams.count == 2)
    #expect(excess.streams.last?.frames == FrameCount(30 * 1_152))
  }

  @Test("Two bytes that resemble a frame are not MPEG audio", arguments: [3, 17, 4_000])
  func noise(count: Int) throws {
    var random = SeededGenerator(seed: UInt64(count))
    for _ in 0..<20 {
      let bytes = [0xFF, 0xFB, 0x90, 0xC0] + random.bytes(count)
      #expect(throws: SoundFileError.self) { _ = try survey(bytes) }
    }
  }

  @Test("The first page of FLAC in Ogg may be shorter than its header")
  func shortPage() throws {
    func page(_ flags: UInt8, _ body: [UInt8]) -> [UInt8] {
      Array("OggS".utf8) + [0, flags] + [UInt8](repeating: 0, count: 8) + [7, 0, 0, 0]
        + [UInt8](repeating: 0, count: 8) + [1, UInt8(body.count)] + body
    }
    let head = [0x7F] + Array("FLAC".utf8) + [1, 0, 0, 1] + Array("fLaC".utf8)
    let first = page(2, head + [UInt8](repeating: 0, count: 38))
    #expect(try survey(first + page(2, [1, 2, 3]) + page(0, head)).streams.count == 1)
  }

  @Test("Random bytes after any known beginning cause no crash")
  func fuzz() throws {
    var random = SeededGenerator(seed: 12)
    let heads = ["OggS", "fLaC", "RIFF\0\0\0\0WAVEfmt ", "caff", "Creative Voice File", "ID3", ""]
    for index in 0..<(isThorough ? 5_000 : 700) {
      let head = Array(heads[index % heads.count].utf8)
      var bytes = head + random.bytes(Int.random(in: 0...600, using: &random))
      for _ in 0..<4 where bytes.count > head.count {
        let place = Int.random(in: head.count..<bytes.count, using: &random)
        bytes[place] = [0, 0xFF, 0x7F, 0x80, 1].randomElement(using: &random) ?? 0
      }
      _ = try? survey(bytes)
    }
  }

  @Test("A file cut within its beginning causes no crash", arguments: try Self.otherFiles())
  func torn(path: String) throws {
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)).prefix(isThorough ? 3_000 : 300))
    for count in 0...bytes.count { _ = try? survey(Array(bytes.prefix(count))) }
  }

  /// Returns the paths of the files of other programs that fuzzing starts with.
  private static func otherFiles() throws -> [String] {
    let place = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fuzz/corpus/sound").path
    return try FileManager.default.contentsOfDirectory(atPath: place).sorted()
      .map { place + "/" + $0 }
  }

  @Test(
    "Impossible sizes in headers cause no crash",
    arguments: [Int64.min, -9, -1, 0, 3, 4, 5, 1 << 31, 1 << 32, 1 << 62, .max - 20, .max])
  func sizes(size: Int64) throws {
    var (little, big): ([UInt8], [UInt8]) = ([], [])
    little.append(little: size)
    big.append(little: size.byteSwapped)
    let header = WaveHeader(StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16))
    var large = header.bytes(audio: 1 << 33, end: 1 << 34)
    large.replaceSubrange(28..<36, with: little)
    let swapped = Array("RIFX\0\0\u{10}\0WAVEfmt \0\0\0\u{10}\0\u{1}\0\u{2}\0\0\u{3E}\0".utf8)
    let format = [UInt8](repeating: 0, count: 6) + [0, 24]
    let apple = Array("caff\0\u{1}\0\0data".utf8) + big
    let guid: [UInt8] = [0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0, 0xC0, 0x4F, 0xDB, 0x8E, 0x8A]
    let wave64: [UInt8] =
      [0x72, 0x69, 0x66, 0x66, 0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 4, 0xC1, 0, 0]
      + little + Array("wave".utf8) + guid + Array("fmt ".utf8) + guid + [40, 0, 0, 0, 0, 0, 0, 0]
      + [1, 0, 2, 0, 0x80, 0xBB, 0, 0, 0, 0, 0, 0, 4, 0, 16, 0]
    let tail = [UInt8](repeating: 5, count: 400)
    let files = [
      large, swapped + format + Array("data".utf8) + little.prefix(4), apple,
      wave64 + Array("data".utf8) + guid + little, wave64 + little + guid + little,
    ]
    for file in files { _ = try? survey(file + tail) }
    #expect(throws: Never.self) { _ = try survey(Self.frames(9)) }
  }

  @Test("Blocks of a Voice file are one stream while their format is the same")
  func blocks() throws {
    func block(_ kind: UInt8, _ content: [UInt8]) -> [UInt8] {
      [kind, UInt8(content.count & 255), UInt8(content.count >> 8), 0] + content
    }
    func sound(_ rate: UInt8, _ count: Int) -> [UInt8] {
      block(1, [rate, 0] + [UInt8](repeating: 9, count: count))
    }
    let head = Array("Creative Voice File\u{1A}".utf8) + [26, 0, 0x0A, 1, 0x29, 0x11]
    let parts =
      sound(131, 500) + block(2, [UInt8](repeating: 1, count: 40)) + block(3, [9, 0, 131])
      + block(5, Array("words\0".utf8)) + sound(131, 60) + sound(165, 70)
    let found = try survey(head + parts + [0])
    let counts: [Int64] = found.streams.map(\.view.count)
    let rates: [Int?] = found.streams.map(\.raw?.rate.hertz)
    #expect(counts == [610, 70])
    #expect(rates == [8_000, 10_989])
    let torn = try survey(head + parts.dropLast(20))
    #expect(torn.fault != nil)
    #expect(try survey(head + parts + [0, 7, 7]).trailingBytes == 2)
  }
}

@Suite("Views of files")
struct FileViewTests {
  @Test("A view returns the bytes of its pieces, for a read of any range")
  func pieces() throws {
    let scratch = try Scratch()
    let path = try scratch.write((0..<100).map { UInt8($0) }, to: "a")
    let file = try CheckedFile(Descriptor(opening: path), named: path)
    var view = FileView(10..<20)
    view.append(20..<25)
    view.append([200, 201])
    view.append(50..<53)
    view.append(7, times: 4)
    view.append(pairsFrom: 60, 80, count: 3)
    view = view.replacing(at: 2, with: [250, 251])
    let expected: [UInt8] =
      [10, 11, 250, 251] + (14..<25) + [200, 201, 50, 51, 52, 7, 7, 7, 7, 60, 80, 61, 81, 62, 82]
    #expect(view.count == Int64(expected.count))
    for start in 0...expected.count {
      for count in [1, 2, 5, 100] {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        let read = try view.read(into: &raw, at: Int64(start), of: file)
        #expect(Array(bytes.prefix(read)) == Array(expected[start...].prefix(count)))
      }
    }
  }
}

@Suite("Layouts of channels")
struct LayoutTests {
  @Test("A mask names the channels in the order of its bits, or is refused")
  func mask() throws {
    let six = try #require(ChannelCount(6))
    #expect([Speaker](waveMask: 0x3F, channels: six) == .usual(six))
    #expect([Speaker](waveMask: 0x3F, channels: .stereo) == nil)
    #expect([Speaker](waveMask: 0x8000_0003, channels: .stereo) == nil)
  }

  @Test("Apple's descriptions name each channel")
  func described() throws {
    let three = try #require(ChannelCount(3))
    func chunk(_ tag: UInt32, _ mask: UInt32, _ labels: [UInt32]) -> [UInt8] {
      var bytes: [UInt8] = []
      for number in [tag, mask, UInt32(labels.count)] { bytes.append(little: number.byteSwapped) }
      for label in labels {
        bytes.append(little: label.byteSwapped)
        bytes += [UInt8](repeating: 0, count: 16)
      }
      return bytes
    }
    let order: [Speaker] = [.frontCenter, .frontLeft, .frontRight]
    #expect(AppleLayout.speakers(chunk(0, 0, [3, 1, 2]), three) == order)
    #expect(AppleLayout.speakers(chunk(114 << 16 | 3, 0, []), three) == order)
    #expect(
      AppleLayout.speakers(chunk(1 << 16, 7, []), three) == [.frontLeft, .frontRight, .frontCenter])
    #expect(AppleLayout.speakers(chunk(0, 0, [3, 3, 2]), three) == nil)
    #expect(AppleLayout.speakers([0, 0, 0], three) == nil)
  }
}
