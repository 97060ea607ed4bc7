package import Audio
internal import Control
internal import JSON
internal import Linux

/// A take of the catalogue in short form, as lists show it.
///
/// A class, because copying and sorting a long list of structs with several strings would be slow.
package final class TakeRow: Sendable {
  /// The identifier of the take.
  package let identifier: String
  /// The name of the recording.
  package let name: String
  /// The number of the segment in the take, or nil for the only segment of a take.
  package let segment: Int?
  /// The moment since 1970 at which the first frame was captured.
  package let began: Duration
  /// The duration of the file.
  package let duration: Duration
  /// The size of the file when it was saved, in bytes.
  package let bytes: Int64
  /// The number of marks.
  package let marks: Int
  /// The exit code of `stop`.
  package let exit: Int32
  /// The reason for the end, in one word.
  package let reason: String
  /// True if the take went to stdout.
  package let isStream: Bool
  /// The path under which the file was saved, or nil for a take without a file.
  package let path: String?
  /// The sidecar that was saved next to the file, or nil if there is none.
  package let sidecar: String?
  /// The title, the note and the texts of the marks, each on its own line. The title may be empty.
  package let words: String
  /// The tracks. Empty for a plain take, which has one track without a name.
  package let tracks: [Track]
  /// The size of the file at `path` when it was saved. `bytes` also includes the files of further
  /// tracks.
  package var fileBytes: Int64 { tracks.first { $0.file != nil }?.bytes ?? bytes }
  /// The title, or an empty string for a take without one.
  package var title: String { String(Substring(words.utf8.prefix { $0 != UInt8(ascii: "\n") })) }

  /// The position of the take's line in the catalogue, or nil for a result that is not in the
  /// catalogue.
  let line: CatalogueLine?
  /// The facts that identified the first file when it was saved, or nil if they are not known.
  let trace: FileTrace?

  /// Creates the short form of a result.
  init(_ result: RecordingResult, line: CatalogueLine? = nil, trace: FileTrace? = nil) {
    identifier = result.identifier
    name = result.name
    segment = result.segment
    began = result.began
    duration = result.duration
    bytes = result.bytes
    marks = result.marks
    exit = result.exit
    reason = result.reason.word
    isStream = result.isStream
    path = result.path
    sidecar = result.sidecar
    let texts = [result.title ?? ""] + [result.note].compactMap(\.self) + result.markTexts
    words = texts.joined(separator: "\n")
    tracks = result.tracks.named ?? []
    self.line = line
    self.trace = trace
  }

  /// Reads a line of the catalogue. Returns nil for a line that does not describe a take.
  convenience init?(line bytes: [UInt8], at offset: Int64) {
    let json = try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: MachineStore.largest))
    guard let result = json.flatMap(RecordingResult.init(json:)) else { return nil }
    let traces = json?[FileTrace.key].flatMap([FileTrace].init(json:))
    self.init(result, line: CatalogueLine(bytes, at: offset), trace: traces?.first)
  }

  /// Reads an undamaged row of the index.
  init(_ row: IndexRow) {
    var (text, start) = (0, row.texts)
    func next() -> String {
      let range = row.text(text, from: start)
      (text, start) = (text + 1, range.upperBound)
      return String(decoding: row.block[range], as: UTF8.self)
    }
    let flags = row.number(at: 68, as: Int32.self)
    identifier = next()
    name = next()
    reason = next()
    let (path, sidecar) = (next(), next())
    words = next()
    let tracks = next()
    self.tracks =
      tracks.isEmpty ? [] : (try? JSONValue(decoding: tracks)).flatMap([Track].init(json:)) ?? []
    self.path = flags & 2 != 0 ? path : nil
    self.sidecar = flags & 4 != 0 ? sidecar : nil
    isStream = flags & 1 != 0
    let segment = row.number(at: 64, as: Int32.self)
    self.segment = segment < 0 ? nil : Int(segment)
    began = .microseconds(row.number(at: 32, as: Int64.self))
    duration = .microseconds(row.number(at: 40, as: Int64.self))
    bytes = row.number(at: 48)
    marks = Int(row.number(at: 56, as: Int32.self))
    exit = row.number(at: 60)
    let trace = FileTrace(
      inode: row.number(at: 100), size: row.number(at: 108), modified: row.number(at: 116))
    self.trace = flags & 16 != 0 ? trace : nil
    line = CatalogueLine(
      offset: row.number(at: 8), length: Int(row.number(at: 16, as: Int64.self)),
      checksum: row.number(at: 24), isPlain: flags & 8 != 0)
  }

  var key: TakeKey { TakeKey(identifier: identifier, segment: segment ?? 1) }

  /// Returns true if `text` is the name of the recording or the identifier of the take.
  func isNamed(_ text: String) -> Bool {
    name.isSameName(as: text) || identifier.isSameName(as: text)
  }
}

extension TakeRow: Hashable {
  /// Returns true if both rows describe the same file and were made from the same line. The
  /// checksum of the line represents all other facts.
  package static func == (left: TakeRow, right: TakeRow) -> Bool {
    left === right
      || left.line == right.line && left.key == right.key
        && left.path.map(Path.init) == right.path.map(Path.init)
  }

  /// Hashes the identifier, which only the files of one take share.
  package func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

/// The position of a line in the catalogue.
struct CatalogueLine: Hashable, Sendable {
  /// The offset of its first byte.
  let offset: Int64
  /// The number of its bytes, without the line end.
  let length: Int
  /// The checksum of its bytes.
  let checksum: UInt64
  /// True if the line is a JSON object in ASCII only, without characters that a terminal
  /// interprets.
  let isPlain: Bool

  init(offset: Int64, length: Int, checksum: UInt64, isPlain: Bool) {
    (self.offset, self.length, self.checksum, self.isPlain) = (offset, length, checksum, isPlain)
  }

  /// Creates the position of a line with these bytes at an offset.
  init(_ bytes: [UInt8], at offset: Int64) {
    self.init(
      offset: offset, length: bytes.count, checksum: bytes.checksum(of: bytes.indices),
      isPlain: bytes.last == UInt8(ascii: "}") && bytes.allSatisfy { (0x20..<0x7F).contains($0) })
  }
}

// MARK: - The row in the index

/// The encoded form of a row in a block of the index.
struct IndexRow {
  let block: [UInt8]
  private let offset: Int
  let length: Int

  /// The number of bytes of a row before its texts.
  fileprivate static let head = 124

  /// Finds the row at an offset. The result is nil if no row can be there.
  init?(_ block: [UInt8], at offset: Int) {
    guard offset >= 0, offset + Self.head + 4 <= block.count else { return nil }
    let raw = unsafe block.span.bytes
    let length = Int(raw.number(at: offset, as: UInt32.self))
    guard length >= Self.head + 4, offset + length <= block.count,
      raw.number(at: offset + length - 4, as: UInt32.self) == UInt32(length)
    else { return nil }
    (self.block, self.offset, self.length) = (block, offset, length)
  }

  /// The take.
  var take: TakeRow { TakeRow(self) }

  /// Whether the checksum of the row is correct. A row with a wrong checksum must not be used.
  var isWhole: Bool {
    let sum = block.checksum(of: offset + 8..<offset + length - 4)
    return number(at: 4) == UInt32(truncatingIfNeeded: sum)
  }

  fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(
    at position: Int, as type: Number.Type = Number.self
  ) -> Number {
    unsafe block.span.bytes.number(at: offset + position)
  }

  /// The offset of the first text in the block.
  fileprivate var texts: Int { offset + Self.head }

  /// Returns the range of a text that begins at `start`. The row has seven texts, in the order of
  /// `encode`.
  fileprivate func text(_ index: Int, from start: Int) -> Range<Int> {
    let count = Int(number(at: 72 + 4 * index, as: UInt32.self))
    return start..<min(start + count, offset + length - 4)
  }

  /// Returns true for a take with this name or identifier.
  func isMeant(by text: [UInt8]) -> Bool { has(text, at: 0) || has(text, at: 1) }

  /// Whether the take has tracks.
  var hasTracks: Bool { !range(of: 6).isEmpty }

  /// Returns false for a take with another path.
  func mayHave(path: [UInt8]) -> Bool { has(path, at: 3) }

  /// Returns false for a take whose file name does not begin with `name`. The first character of
  /// `name` is a slash.
  func mayHave(fileName name: [UInt8]) -> Bool {
    let path = block[range(of: 3)]
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return false }
    return path[slash...].starts(with: name)
  }

  private func range(of index: Int) -> Range<Int> {
    var range = self.text(0, from: texts)
    for next in 0..<index { range = self.text(next + 1, from: range.upperBound) }
    return range
  }

  private func has(_ text: [UInt8], at index: Int) -> Bool {
    let range = range(of: index)
    guard range.count == text.count else { return false }
    // The comparison begins at the end, because most paths differ only there.
    return text.indices.reversed().allSatisfy { block[range.lowerBound + $0] == text[$0] }
  }
}

extension TakeRow {
  /// Appends the row to an index: its length, a checksum, numbers, texts, and its length again. The
  /// second length makes it possible to read the rows from the end of the index.
  func encode(into index: inout [UInt8]) {
    let start = index.count
    let tracks = tracks.named?.json.encoded() ?? ""
    let texts = [identifier, name, reason, path ?? "", sidecar ?? "", words, tracks].map {
      Array($0.utf8)
    }
    let length = IndexRow.head + texts.reduce(0) { $0 + $1.count } + 4
    index.append(number: UInt32(length))
    index.append(number: UInt32(0))
    for number in [line?.offset ?? 0, Int64(line?.length ?? 0)] { index.append(number: number) }
    index.append(number: line?.checksum ?? 0)
    for number in [Self.microseconds(began), Self.microseconds(duration), bytes] {
      index.append(number: number)
    }
    for number in [Int32(clamping: marks), exit, Int32(clamping: segment ?? -1), flags] {
      index.append(number: number)
    }
    for text in texts { index.append(number: UInt32(text.count)) }
    index.append(number: trace?.inode ?? 0)
    for number in [trace?.size ?? 0, trace?.modified ?? 0] { index.append(number: number) }
    for text in texts { index += text }
    index.append(number: UInt32(length))
    let sum = UInt32(truncatingIfNeeded: index.checksum(of: start + 8..<index.count - 4))
    var bytes: [UInt8] = []
    bytes.append(number: sum)
    index.replaceSubrange(start + 4..<start + 8, with: bytes)
  }

  private var flags: Int32 {
    (isStream ? 1 : 0) | (path == nil ? 0 : 2) | (sidecar == nil ? 0 : 4)
      | (line?.isPlain == true ? 8 : 0) | (trace == nil ? 0 : 16)
  }

  private static func microseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000
  }
}
