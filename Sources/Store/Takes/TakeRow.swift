internal import Control
internal import JSON
internal import Linux

/// A take of the catalogue in short form, as lists show it.
///
/// A class, because very long lists are copied and sorted, and each row has several strings.
package final class TakeRow: Sendable {
  /// The identifier of the take.
  package let identifier: String
  /// The name of the recording.
  package let name: String
  /// The number of the file in a take with several files, or nil.
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
  /// The title, or an empty string for a take without one.
  package var title: String { String(Substring(words.utf8.prefix { $0 != UInt8(ascii: "\n") })) }

  /// The line of the catalogue, or nil for a result that is not in it.
  let line: CatalogueLine?

  /// Creates the short form of a result.
  init(_ result: RecordingResult, line: CatalogueLine? = nil) {
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
    self.line = line
  }

  /// Reads a line of the catalogue. Returns nil for a line that does not describe a take.
  convenience init?(line bytes: [UInt8], at offset: Int64) {
    let json = try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: MachineStore.largest))
    guard let result = json.flatMap(RecordingResult.init(json:)) else { return nil }
    self.init(result, line: CatalogueLine(bytes, at: offset))
  }

  /// Returns true if the bytes of the row have not changed since they were written.
  static func isWhole(_ block: [UInt8], at offset: Int, length: Int) -> Bool {
    let sum = UInt32(truncatingIfNeeded: block.checksum(of: offset + 8..<offset + length - 4))
    return unsafe block.span.bytes.number(at: offset + 4, as: UInt32.self) == sum
  }

  /// Reads an undamaged row of that length at an offset of a block.
  init(_ block: [UInt8], at offset: Int, length: Int) {
    let raw = unsafe block.span.bytes
    var (start, lengthOffset) = (offset + Self.head, offset + 72)
    let end = offset + length - 4
    func text() -> String {
      let count = unsafe block.span.bytes.number(at: lengthOffset, as: UInt32.self)
      let stop = min(end, start + Int(count))
      defer { (start, lengthOffset) = (stop, lengthOffset + 4) }
      return String(decoding: block[start..<stop], as: UTF8.self)
    }
    let flags = raw.number(at: offset + 68, as: Int32.self)
    identifier = text()
    name = text()
    reason = text()
    let (path, sidecar) = (text(), text())
    words = text()
    self.path = flags & 2 != 0 ? path : nil
    self.sidecar = flags & 4 != 0 ? sidecar : nil
    isStream = flags & 1 != 0
    let segment = raw.number(at: offset + 64, as: Int32.self)
    self.segment = segment < 0 ? nil : Int(segment)
    began = .microseconds(raw.number(at: offset + 32, as: Int64.self))
    duration = .microseconds(raw.number(at: offset + 40, as: Int64.self))
    bytes = raw.number(at: offset + 48)
    marks = Int(raw.number(at: offset + 56, as: Int32.self))
    exit = raw.number(at: offset + 60)
    line = CatalogueLine(
      offset: raw.number(at: offset + 8), length: Int(raw.number(at: offset + 16, as: Int64.self)),
      checksum: raw.number(at: offset + 24), isPlain: flags & 8 != 0)
  }

  var key: TakeKey { TakeKey(identifier: identifier, segment: segment ?? 1) }
}

extension TakeRow: Hashable {
  /// Returns true for the same file of the same line. The checksum of the line stands for all
  /// facts.
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

extension TakeRow {
  /// The number of bytes of a row before its texts.
  static let head = 96

  /// Appends the row to an index: its length, a checksum, numbers, texts, and its length again.
  /// With the second length the rows can be found from the end.
  func encode(into index: inout [UInt8]) {
    let start = index.count
    let texts = [identifier, name, reason, path ?? "", sidecar ?? "", words].map { Array($0.utf8) }
    let length = Self.head + texts.reduce(0) { $0 + $1.count } + 4
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
    for text in texts { index += text }
    index.append(number: UInt32(length))
    let sum = UInt32(truncatingIfNeeded: index.checksum(of: start + 8..<index.count - 4))
    var bytes: [UInt8] = []
    bytes.append(number: sum)
    index.replaceSubrange(start + 4..<start + 8, with: bytes)
  }

  private var flags: Int32 {
    (isStream ? 1 : 0) | (path == nil ? 0 : 2) | (sidecar == nil ? 0 : 4)
      | (line?.isPlain == true ? 8 : 0)
  }

  private static func microseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000
  }

  /// Returns the length of the row at an offset, or nil if no row can be there.
  static func length(in block: RawSpan, at offset: Int) -> Int? {
    guard offset >= 0, offset + head + 4 <= block.byteCount else { return nil }
    let length = Int(block.number(at: offset, as: UInt32.self))
    guard length >= head + 4, offset + length <= block.byteCount,
      block.number(at: offset + length - 4, as: UInt32.self) == UInt32(length)
    else { return nil }
    return length
  }

  /// Returns true if the row at an offset belongs to a take with this name or identifier.
  static func isMeant(
    by text: [UInt8], in block: RawSpan, at offset: Int, length: Int
  ) -> Bool {
    var start = offset + head
    for index in 0..<2 {
      let count = Int(block.number(at: offset + 72 + 4 * index, as: UInt32.self))
      guard start + count <= offset + length else { return false }
      if count == text.count,
        text.indices.allSatisfy({ block.number(at: start + $0, as: UInt8.self) == text[$0] })
      {
        return true
      }
      start += count
    }
    return false
  }

  /// Returns false if the row at an offset has another path. The path follows three other texts.
  static func mayHave(
    path: [UInt8], in block: RawSpan, at offset: Int, length: Int
  ) -> Bool {
    var start = offset + head
    for index in 0..<3 { start += Int(block.number(at: offset + 72 + 4 * index, as: UInt32.self)) }
    let count = Int(block.number(at: offset + 72 + 4 * 3, as: UInt32.self))
    guard count == path.count, start + path.count <= offset + length else { return false }
    // Paths differ mostly at their ends.
    return path.indices.reversed().allSatisfy {
      block.number(at: start + $0, as: UInt8.self) == path[$0]
    }
  }
}
