internal import Linux

/// The rows of the catalogue: first from the index, then from lines that are not indexed yet.
///
/// The catalogue is authoritative. The index next to it is rebuilt if it is missing, damaged or
/// older than a manual edit of the catalogue, and extended if the catalogue has grown. Only readers
/// of the catalogue write the index.
struct TakeRows: ~Copyable {
  /// The file of the catalogue, which contains the full lines.
  let catalogue: OpenFile
  /// The path of the state directory.
  private let state: String
  private let index: OpenFile?
  private let header: TakeIndexHeader
  /// The rows that are not in the index, oldest first.
  private let tail: [TakeRow]

  static let name = "takes.index"
  private static let lock = "takes.index.lock"

  var count: Int { Int(header.count) + tail.count }

  /// Reads the rows of a state directory. Returns nil if the directory has no catalogue.
  ///
  /// - Parameter checking: whether to compare every line with its row if the catalogue has changed.
  ///   If this is false, only the last line is compared.
  /// - Parameter extending: whether to bring the index up to date.
  init?(in directory: borrowing Directory, checking: Bool, extending: Bool = true) {
    guard let file = try? directory.open(SessionPaths.catalogue, [.noFollow, .nonBlocking]),
      let status = try? file.status(), status.kind == .regular
    else { return nil }
    let lines = OpenFile(file)
    let read = Self.read(in: directory, lines, status, checking: checking)
    var header = read?.header ?? TakeIndexHeader()
    header.inode = status.inode
    let (tail, covered, coveredRows) = Self.rows(of: lines, from: header.covered, to: status.size)
    catalogue = lines
    state = directory.path
    index = read?.file
    self.header = header
    self.tail = tail
    var next = header
    next.covered = covered
    next.stamp = covered == status.size ? TakeIndexStamp(status) : TakeIndexStamp()
    guard extending, next != header || read == nil else { return }
    Self.write(
      tail.prefix(coveredRows), behind: header, as: next, isNew: read == nil, in: directory)
  }

  /// Opens the index, or returns nil if it does not match the catalogue `lines`.
  private static func read(
    in directory: borrowing Directory, _ lines: OpenFile, _ status: FileStatus, checking: Bool
  ) -> (file: OpenFile, header: TakeIndexHeader)? {
    var bytes = [UInt8](repeating: 0, count: TakeIndexHeader.length)
    guard let index = try? directory.open(name, [.noFollow, .nonBlocking]),
      (try? index.read(into: &bytes, at: 0)) == bytes.count,
      let header = TakeIndexHeader(bytes), header.inode == status.inode,
      header.covered <= status.size, let size = try? index.status().size, size >= header.end
    else { return nil }
    let file = OpenFile(index)
    let isSame =
      header.covered == status.size && header.stamp != TakeIndexStamp()
      && header.stamp == TakeIndexStamp(status)
    guard !isSame else { return (file, header) }
    let rows = IndexFile(file, end: header.end)
    return rows.agrees(with: lines, header, entirely: checking) ? (file, header) : nil
  }

  /// Returns the rows of all lines after the offset `start`. `covered` is the offset after the last
  /// complete line. `count` is the number of rows before the offset `covered`.
  private static func rows(
    of lines: OpenFile, from start: Int64, to size: Int64
  ) -> (rows: [TakeRow], covered: Int64, count: Int) {
    var (rows, covered, count): ([TakeRow], Int64, Int) = ([], start, 0)
    var (rest, offset): ([UInt8], Int64) = ([], start)
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    while offset < size {
      guard let read = try? lines.descriptor.read(into: &chunk, at: offset), read > 0 else { break }
      offset += Int64(read)
      rest += chunk[..<read]
      var begin = 0
      while let end = rest[begin...].firstIndex(of: UInt8(ascii: "\n")) {
        if let row = TakeRow(line: Array(rest[begin..<end]), at: covered) { rows.append(row) }
        covered += Int64(end + 1 - begin)
        begin = end + 1
      }
      rest.removeFirst(begin)
    }
    count = rows.count
    // A last line without a line end may be incomplete. It is read, but not indexed.
    if !rest.isEmpty, let row = TakeRow(line: rest, at: covered) { rows.append(row) }
    return (rows, covered, count)
  }

  /// Extends or creates the index. Does nothing if the permission or the disk space for writing is
  /// missing.
  private static func write(
    _ rows: ArraySlice<TakeRow>, behind header: TakeIndexHeader, as next: TakeIndexHeader,
    isNew: Bool, in directory: borrowing Directory
  ) {
    guard let turn = try? FileLock.take(lock, in: directory) else { return }
    var bytes: [UInt8] = []
    for row in rows { row.encode(into: &bytes) }
    var next = next
    next.end = header.end + Int64(bytes.count)
    next.count = header.count + Int64(rows.count)
    if isNew {
      try? AtomicFile.removeLeftovers(of: name, in: directory)
      try? AtomicFile.write((next.bytes + bytes).span, to: name, in: directory)
    } else {
      extend(header, with: bytes, next, in: directory)
    }
    _ = consume turn
  }

  private static func extend(
    _ header: TakeIndexHeader, with bytes: [UInt8], _ next: TakeIndexHeader,
    in directory: borrowing Directory
  ) {
    var present = [UInt8](repeating: 0, count: TakeIndexHeader.length)
    // Another process may have extended the index first.
    guard let file = try? directory.open(name, [.readWrite, .noFollow, .nonBlocking]),
      (try? file.read(into: &present, at: 0)) == present.count,
      TakeIndexHeader(present) == header,
      (try? file.writeAll(unsafe bytes.span.bytes, at: header.end)) != nil
    else { return }
    try? file.writeAll(unsafe next.bytes.span.bytes, at: 0)
  }
}

extension TakeRows {
  /// Returns all rows, oldest first.
  func all() -> [TakeRow] {
    guard let index else { return tail }
    var rows: [TakeRow] = []
    rows.reserveCapacity(count)
    let isRead = IndexFile(index, end: header.end).forward { row in
      rows.append(row.take)
      return true
    }
    guard isRead, rows.count == Int(header.count) else { return discarding() }
    return rows + tail
  }

  /// Returns the newest row with this name or identifier, and its position from the end, 1 for the
  /// last row.
  func newest(_ text: String) -> (age: Int, row: TakeRow)? {
    let meant = Array(text.utf8)
    return newest(.max, { $0.isNamed(text) }) { $0.isMeant(by: meant) }
  }

  /// Returns the newest row that was saved with this path, if it is one of the newest `count` rows.
  func newest(at path: String, among count: Int = .max) -> TakeRow? {
    let meant = Array(path.utf8)
    return newest(count, { $0.path?.isSameName(as: path) == true }) { $0.mayHave(path: meant) }?.row
  }

  /// Returns the newest row that has tracks and satisfies `isMeant`.
  func newest(withTracks isMeant: (TakeRow) -> Bool) -> TakeRow? {
    newest(.max, { !$0.tracks.isEmpty && isMeant($0) }, { $0.hasTracks })?.row
  }

  /// Returns true if a row that satisfies `isMeant` was saved with a file of that name, with or
  /// without its extension.
  func hasFile(named text: String, _ isMeant: (TakeRow) -> Bool) -> Bool {
    // The name of a track may follow `text`, before the extension. So only the beginning of the
    // file name is compared.
    let name = Array(("/" + text.nameParts.stem).utf8)
    return newest(.max, { $0.path?.isFile(named: text, of: $0.tracks) == true && isMeant($0) }) {
      $0.mayHave(fileName: name)
    } != nil
  }

  /// Returns the newest of the last `count` rows for which `isMeant` returns true, and its position
  /// from the end.
  ///
  /// - Parameter mayBe: a quick check of an encoded row. It returns false only if `isMeant` would
  ///   reject the row.
  private func newest(
    _ count: Int, _ isMeant: (TakeRow) -> Bool, _ mayBe: (IndexRow) -> Bool
  ) -> (age: Int, row: TakeRow)? {
    func find(in rows: [TakeRow]) -> (age: Int, row: TakeRow)? {
      let index = rows.suffix(count).lastIndex(where: isMeant)
      return index.map { (rows.count - $0, rows[$0]) }
    }
    if let found = find(in: tail) { return found }
    guard count > tail.count, let index else { return nil }
    var age = tail.count
    var found: TakeRow?
    let isRead = IndexFile(index, end: header.end).backward { row in
      age += 1
      found = mayBe(row) ? row.take : nil
      if found.map(isMeant) != true { found = nil }
      return found == nil && age < count
    }
    return isRead ? found.map { (age, $0) } : find(in: discarding())
  }

  /// Returns the newest rows of a catalogue, newest first. The rows are read from the end of the
  /// catalogue, without the index.
  static func newest(_ count: Int, in directory: borrowing Directory) -> [TakeRow] {
    guard let file = try? directory.open(SessionPaths.catalogue, [.noFollow, .nonBlocking]),
      let size = try? file.status().size
    else { return [] }
    var rows: [TakeRow] = []
    var (start, rest): (Int64, [UInt8]) = (size, [])
    while rows.count < count {
      if let end = rest.lastIndex(of: UInt8(ascii: "\n")) {
        let line = Array(rest[(end + 1)...])
        if let row = TakeRow(line: line, at: start + Int64(end) + 1) { rows.append(row) }
        rest.removeLast(rest.count - end)
      } else if start > 0 {
        let begin = max(0, start - 1 << 16)
        var block = [UInt8](repeating: 0, count: Int(start - begin))
        guard (try? file.read(into: &block, at: begin)) == block.count else { return rows }
        rest = block + rest
        start = begin
      } else {
        if let row = TakeRow(line: rest, at: 0) { rows.append(row) }
        return rows
      }
    }
    return rows
  }

  /// Returns all rows from the catalogue itself. Removes the damaged index, so that the next reader
  /// creates a new index.
  private func discarding() -> [TakeRow] {
    if let directory = try? PrivateDirectory.open(state) { try? directory.remove(Self.name) }
    return Self.rows(of: catalogue, from: 0, to: catalogue.size ?? 0).rows
  }
}
