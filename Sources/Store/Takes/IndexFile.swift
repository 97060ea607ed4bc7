internal import Linux

/// The rows of an index, read in blocks from either end.
struct IndexFile {
  private let file: OpenFile
  private let end: Int64

  private static let block: Int64 = 1 << 18

  init(_ file: OpenFile, end: Int64) {
    self.file = file
    self.end = end
  }

  /// Visits the rows, newest first, until `visit` returns false. Returns false if the file is
  /// damaged.
  func backward(_ visit: (IndexRow) -> Bool) -> Bool {
    var position = end
    var most = Self.block
    while position > TakeIndexHeader.length {
      let start = max(Int64(TakeIndexHeader.length), position - most)
      guard let block = bytes(start, position) else { return false }
      var rest = block.count
      while rest > 4 {
        let length = Int(unsafe block.span.bytes.number(at: rest - 4, as: UInt32.self))
        if length > rest { break }
        rest -= length
        guard let row = IndexRow(block, at: rest), row.length == length, row.isWhole else {
          return false
        }
        if !visit(row) { return true }
      }
      if rest == block.count {
        guard start > TakeIndexHeader.length else { return false }
        most *= 2
      } else {
        most = Self.block
      }
      position = start + Int64(rest)
    }
    return true
  }

  /// Visits the rows, oldest first, until `visit` returns false. Returns false if the file is
  /// damaged.
  func forward(_ visit: (IndexRow) -> Bool) -> Bool {
    var start = Int64(TakeIndexHeader.length)
    var most = Self.block
    while start < end {
      guard let block = bytes(start, min(end, start + most)) else { return false }
      var offset = 0
      while let row = IndexRow(block, at: offset) {
        guard row.isWhole else { return false }
        if !visit(row) { return true }
        offset += row.length
      }
      if offset == 0 {
        guard most < end - start else { return false }
        most *= 2
      } else {
        most = Self.block
      }
      start += Int64(offset)
    }
    return true
  }

  private func bytes(_ start: Int64, _ end: Int64) -> [UInt8]? {
    var block = [UInt8](repeating: 0, count: Int(end - start))
    guard (try? file.descriptor.read(into: &block, at: start)) == block.count else { return nil }
    return block
  }
}

extension IndexFile {
  /// Returns true if the rows were made from the current lines of the catalogue. Compares every
  /// line with its row if `entirely` is true, or else only the last line.
  ///
  /// If a line was edited by hand and became longer or shorter, the last line has moved and does
  /// not match its row. An edit that keeps the length is found only if every line is compared.
  func agrees(with lines: OpenFile, _ header: TakeIndexHeader, entirely: Bool) -> Bool {
    var reader = LineReader(lines)
    var agrees = header.count > 0
    var count: Int64 = 0
    let visit = { (row: IndexRow) in
      count += 1
      guard let line = row.take.line, line.offset + Int64(line.length) < header.covered,
        reader.checksum(of: line) == line.checksum
      else {
        agrees = false
        return false
      }
      return entirely
    }
    let isWhole = entirely ? forward(visit) : backward(visit)
    return isWhole && agrees && (!entirely || count == header.count)
  }
}

/// A reader for lines of the catalogue at given positions. It reads whole blocks, because the next
/// line is usually in the same block.
struct LineReader {
  private let file: OpenFile
  private var block: [UInt8] = []
  private var start: Int64 = 0

  private static let size = 1 << 20

  init(_ file: OpenFile) { self.file = file }

  /// Returns the range of a line in the current block, or nil if the file is too short.
  private mutating func range(of line: CatalogueLine) -> Range<Int>? {
    if line.offset < start || line.offset + Int64(line.length) > start + Int64(block.count) {
      block = [UInt8](repeating: 0, count: max(Self.size, line.length))
      guard let count = try? file.descriptor.read(into: &block, at: line.offset) else { return nil }
      block.removeLast(block.count - count)
      start = line.offset
    }
    let begin = Int(line.offset - start)
    return begin + line.length <= block.count ? begin..<begin + line.length : nil
  }

  mutating func checksum(of line: CatalogueLine) -> UInt64? {
    range(of: line).map { block.checksum(of: $0) }
  }

  /// Returns the bytes of a line, or nil if the line no longer exists.
  mutating func bytes(of line: CatalogueLine) -> ArraySlice<UInt8>? {
    guard let range = range(of: line), block.checksum(of: range) == line.checksum else {
      return nil
    }
    return block[range]
  }
}

/// The header of the index: the part of the catalogue that is indexed, and the state of the
/// catalogue when the index was written.
struct TakeIndexHeader: Hashable {
  /// The inode of the catalogue.
  var inode: UInt64 = 0
  /// The number of indexed bytes of the catalogue, up to the end of a line.
  var covered: Int64 = 0
  /// The offset of the end of the rows in the index.
  var end = Int64(TakeIndexHeader.length)
  /// The number of rows.
  var count: Int64 = 0
  /// The times of the catalogue's last changes, if every line of the catalogue was indexed. Zero if
  /// some lines were not indexed, or if the catalogue was changed so recently that another change
  /// could have the same times.
  var stamp = TakeIndexStamp()

  static let length = 64
  private static let mark: UInt64 = 0x3358_4945_4B41_5431

  init() {}

  /// Reads a header. Returns nil if it is damaged, or if it comes from a machine with another byte
  /// order.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.length else { return nil }
    let raw = unsafe bytes.span.bytes
    guard raw.number(at: 0, as: UInt64.self) == Self.mark,
      raw.number(at: 56, as: UInt64.self) == bytes.checksum(of: 0..<56)
    else { return nil }
    inode = raw.number(at: 8)
    covered = raw.number(at: 16)
    end = raw.number(at: 24)
    count = raw.number(at: 32)
    stamp = TakeIndexStamp(modified: raw.number(at: 40), changed: raw.number(at: 48))
    guard covered >= 0, end >= Int64(Self.length), count >= 0 else { return nil }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: Self.mark)
    bytes.append(number: inode)
    for number in [covered, end, count, stamp.modified, stamp.changed] {
      bytes.append(number: number)
    }
    bytes.append(number: bytes.checksum(of: bytes.indices))
    return bytes
  }
}

/// The times of a file's last changes, in nanoseconds since 1970.
struct TakeIndexStamp: Hashable {
  var modified: Int64 = 0
  var changed: Int64 = 0

  init(modified: Int64 = 0, changed: Int64 = 0) {
    (self.modified, self.changed) = (modified, changed)
  }

  /// Creates the times of a file. They are zero if the file was changed so recently that another
  /// change could have the same time.
  init(_ status: FileStatus) {
    guard KernelClock.realTime.now - status.changed > .milliseconds(100) else { return }
    modified = status.modified.wholeNanoseconds
    changed = status.changed.wholeNanoseconds
  }
}
