package import Control
internal import JSON
internal import Linux

/// A reference to a finished take: `@1`, `@last`, `@NAME`, `@FILE` or `@ID`.
package struct TakeReference: Hashable, Sendable {
  /// The text after the `@`.
  package let text: String

  /// The character that a reference begins with.
  private static let mark = "@"
  /// The word for the newest take.
  private static let last = "last"

  /// Returns true for a word that is meant as a reference, valid or not. A word with a slash is a
  /// path.
  package static func isMeant(by word: String) -> Bool {
    word.begins(with: mark) && !word.utf8.contains(UInt8(ascii: "/"))
  }

  /// Parses a reference. Returns nil for a word that is not one.
  package init?(_ word: String) {
    guard Self.isMeant(by: word) else { return nil }
    text = word.trimmingBytes(first: 1)
    guard !text.isEmpty, text != "0" else { return nil }
  }

  /// Creates the reference to the take with this number.
  package init(number: Int) { text = String(number) }

  /// The number among the takes with a file, 1 for the newest, or nil for a name or an identifier.
  package var number: Int? { text == Self.last ? 1 : Int(text) }
}

extension TakeReference: CustomStringConvertible {
  /// The reference as the user types it.
  package var description: String { Self.mark + text }
}

/// The result of looking up a reference.
package enum FoundTake: Hashable, Sendable {
  case take(ListedTake)
  /// A recording of that name is still running.
  case recording(SessionRecord)
  /// No take matches. The value is the number of takes with a file.
  case none(of: Int)
}

extension SessionStore {
  /// The takes of this machine and of those that share the home, oldest first.
  package var listedTakes: [ListedTake] {
    let (rows, hosts) = rows
    return ListedTake.list(rows, changeLog) { hosts.isEmpty ? nil : hosts[$0] }
  }

  /// Looks up a reference, after adding the announced files of dead sessions to the catalogue.
  ///
  /// A number takes precedence over a name, and a running recording over its finished takes. Of
  /// several takes, the newest with a file is chosen. The name of a file counts only if no
  /// recording has that name.
  package func find(_ reference: TakeReference) -> FoundTake {
    addAnnouncedTakes()
    if others.isEmpty, let take = numbered(reference) ?? named(reference), take.exists {
      return .take(take)
    }
    return find(reference, among: listedTakes)
  }

  /// Returns the take with the number of a reference, if it is among the newest takes.
  ///
  /// They are read from the end of the catalogue, which needs no index.
  private func numbered(_ reference: TakeReference) -> ListedTake? {
    guard let number = reference.number, number <= Self.mostRead else { return nil }
    return [number, Self.mostRead].lazy.compactMap { count in
      self.newestTakes(count).first { $0.number == number }
    }.first
  }

  /// Returns the newest take with a name or an identifier. Returns nil if a number or a recording
  /// may be meant.
  private func named(_ reference: TakeReference) -> ListedTake? {
    guard reference.number == nil, running(reference.text) == nil,
      let directory = try? PrivateDirectory.open(paths.state),
      let rows = TakeRows(in: directory, checking: false),
      let (age, row) = rows.newest(reference.text)
    else { return nil }
    let log = changeLog
    guard log.movedPaths.isEmpty else { return ListedTake.list(rows.newest(age), log).first }
    return ListedTake(row, nil) { path in rows.hasPath(path, amongNewest: age - 1) }
  }

  /// Returns the newest take whose file has this path.
  package func take(at path: String) -> ListedTake? {
    addAnnouncedTakes()
    return listedTake(at: path)
  }

  /// Returns the newest take whose file has this path, without adding the announced files of dead
  /// sessions first.
  func listedTake(at path: String) -> ListedTake? {
    let log = changeLog
    guard others.isEmpty, log.movedPaths.isEmpty,
      let directory = try? PrivateDirectory.open(paths.state)
    else {
      let takes = listedTakes.filter {
        $0.path?.isSameName(as: path) == true && $0.state != .trashed
      }
      return takes.last(where: \.exists) ?? takes.last
    }
    guard let rows = TakeRows(in: directory, checking: false),
      let found = rows.newest(at: path)
    else { return nil }
    // No other take can have replaced the newest take of a path.
    return ListedTake(found, nil) { _ in false }
  }

  private static let mostRead = 32

  /// Returns the newest takes, oldest first.
  package func newestTakes(_ count: Int) -> [ListedTake] {
    guard others.isEmpty else { return listedTakes.suffix(count) }
    guard let directory = try? PrivateDirectory.open(paths.state) else { return [] }
    return ListedTake.list(TakeRows.newest(count, in: directory).reversed(), changeLog)
  }

  private func find(
    _ reference: TakeReference, among takes: [ListedTake]
  ) -> FoundTake {
    if let number = reference.number, let take = takes.last(where: { $0.number == number }) {
      return .take(take)
    }
    if let record = running(reference.text) { return .recording(record) }
    let named = takes.filter { $0.name == reference.text || $0.identifier == reference.text }
    // A number that is too large must not match a file such as 12.wav.
    let mayBeFile = named.isEmpty && reference.number == nil
    let meant = mayBeFile ? takes.filter { $0.isFile(named: reference.text) } : named
    let take = meant.last(where: \.exists) ?? meant.last
    return take.map(FoundTake.take) ?? .none(of: takes.count(where: \.exists))
  }

  /// Returns the live recording with a name or an identifier.
  private func running(_ text: String) -> SessionRecord? {
    records.first { record in
      (record.name == text || record.identifier == text)
        && isLive(record)
    }
  }

  /// The rows of this machine and of those that share the home, oldest first. The hosts are empty
  /// if all rows are from this machine.
  private var rows: (rows: [TakeRow], hosts: [Host?]) {
    let here = Self.rows(at: paths.state, extending: true)
    let others = others
    if others.isEmpty { return (here, []) }
    let there = others.flatMap { store in
      Self.rows(at: store.paths.state, extending: false).map { (row: $0, host: store.owner) }
    }
    let all = (here.map { (row: $0, host: Host?.none) } + there).sorted {
      $0.row.began < $1.row.began
    }
    return (all.map(\.row), all.map(\.host))
  }

  private static func rows(at path: String, extending: Bool) -> [TakeRow] {
    guard let directory = try? PrivateDirectory.open(path),
      let rows = TakeRows(in: directory, checking: true, extending: extending)
    else { return [] }
    return rows.all()
  }

  /// The journal of changes, which is empty if it cannot be read.
  private var changeLog: ChangeLog {
    guard let directory = try? PrivateDirectory.open(paths.state) else { return ChangeLog() }
    return ChangeLog(in: directory)
  }
}

extension ListedTake {
  /// Returns true if the file has this name, with or without its extension.
  fileprivate func isFile(named text: String) -> Bool {
    guard let name = path?.pathParts.name else { return false }
    return name.isSameName(as: text) || name.nameParts.stem.isSameName(as: text)
  }
}

/// All takes, read once for many lookups.
package struct TakeFinder {
  private let takes: [ListedTake]
  /// The takes with a file, newest first.
  private let numbered: [ListedTake]
  private let paths: [Path: Int]

  fileprivate init(_ takes: [ListedTake]) {
    self.takes = takes
    numbered = takes.reversed().filter(\.exists)
    let indexed = takes.indices.compactMap { index in
      takes[index].path.map { (path: Path($0), index: index) }
    }
    paths = Dictionary(indexed.map { ($0.path, $0.index) }) { earlier, later in
      takes[earlier].exists && !takes[later].exists ? earlier : later
    }
  }

  /// Returns the take with a number or at a path if its file exists. Returns nil in all other
  /// cases; the store can then give more details.
  package func take(_ reference: TakeReference?, at path: String) -> ListedTake? {
    guard let reference else {
      return paths[Path(path)].map { takes[$0] }.flatMap { $0.exists ? $0 : nil }
    }
    guard let number = reference.number, numbered.indices.contains(number - 1) else { return nil }
    return numbered[number - 1]
  }
}

extension SessionStore {
  /// The current takes, for many lookups.
  package var finder: TakeFinder {
    addAnnouncedTakes()
    return TakeFinder(listedTakes)
  }
}

/// The lines of listed takes, from the catalogues of their machines.
package struct TakeLines {
  private var readers: [Host?: LineReader] = [:]

  /// Opens the catalogues of a store and of the machines that share its home.
  package init(of store: SessionStore) {
    for store in [store] + store.others {
      guard let directory = try? PrivateDirectory.open(store.paths.state),
        let file = try? directory.open(SessionPaths.catalogue, [.noFollow, .nonBlocking])
      else { continue }
      readers[store.owner] = LineReader(OpenFile(file))
    }
  }

  /// Returns the JSON text of a take, and true if nothing in it has to be escaped for a terminal.
  /// Returns nil if its line no longer exists.
  package mutating func text(of take: ListedTake) -> (text: ArraySlice<UInt8>, isPlain: Bool)? {
    guard let line = take.row.line, let bytes = readers[take.host]?.bytes(of: line) else {
      return nil
    }
    return (bytes, line.isPlain)
  }

  /// Returns the result of a take, or nil if its line no longer exists.
  package mutating func result(of take: ListedTake) -> RecordingResult? {
    guard let line = text(of: take)?.text else { return nil }
    return SessionStore.takes(in: Array(line)).first
  }
}

/// The catalogue of saved files, one line each.
extension SessionStore {
  /// The results of all recordings, oldest first. Lines that cannot be read are skipped.
  package var takes: [RecordingResult] { takes(after: 0) }

  /// The length of the catalogue in bytes. `takes(after:)` returns the lines that are added after
  /// it.
  package var catalogueLength: Int64 {
    guard let directory = try? PrivateDirectory.open(paths.state) else { return 0 }
    return (try? directory.status(of: SessionPaths.catalogue))?.size ?? 0
  }

  /// Returns the takes that were added after the catalogue had that length.
  package func takes(after length: Int64) -> [RecordingResult] {
    guard let directory = try? PrivateDirectory.open(paths.state),
      let file = try? directory.open(SessionPaths.catalogue, [.noFollow, .nonBlocking]),
      let end = try? Self.end(of: file, from: length)
    else { return [] }
    return Self.takes(in: end.bytes)
  }

  /// Returns the takes in the lines of a catalogue.
  static func takes(in bytes: [UInt8]) -> [RecordingResult] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let json = try? JSONValue(
        decoding: Array(line).span, limits: JSONLimits(bytes: Self.largest))
      return json.flatMap(RecordingResult.init(json:))
    }
  }

  // Enough for years of files. If there are more, only the newest are read, and the incomplete
  // first line is skipped like any other invalid line.
  private static let mostBytesRead: Int64 = 1 << 28

  /// Returns the bytes of a list from an offset on, and the offset of the first byte that was read.
  static func end(
    of file: borrowing Descriptor, from start: Int64
  ) throws(SystemError) -> (bytes: [UInt8], start: Int64) {
    let size = try file.status().size
    let first = max(start, size - mostBytesRead)
    var offset = first
    guard offset < size else { return ([], first) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(size - offset))
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while offset < size {
      let count = try file.read(into: &chunk, at: offset)
      if count == 0 { break }
      bytes += chunk[..<count]
      offset += Int64(count)
    }
    return (bytes, first)
  }
}

/// A take that ended a short time ago.
package struct EndedTake: Sendable {
  /// The take with the current path of its file.
  package let take: ListedTake
  /// The result of the take.
  package let result: RecordingResult
  /// The time since its end.
  package let past: Duration
}

extension SessionStore {
  /// Returns the take that ended last on this machine, or the last one with a name. Returns nil if
  /// it ended longer than `limit` ago.
  package func latest(_ name: String?, within limit: Duration) -> EndedTake? {
    // Most calls end here, without checking the owners of all directories above.
    guard let status = try? FileStatus(of: paths.state.path(of: SessionPaths.catalogue)),
      KernelClock.realTime.now - status.modified < limit
    else { return nil }
    let takes = newestTakes(name == nil && others.isEmpty ? 1 : Self.mostRead)
    var lines = TakeLines(of: self)
    guard let take = takes.last(where: { $0.host == nil && (name == nil || $0.name == name) }),
      let result = lines.result(of: take)
    else { return nil }
    let past = max(.zero, KernelClock.realTime.now - result.ended)
    return past < limit ? EndedTake(take: take, result: result, past: past) : nil
  }
}
