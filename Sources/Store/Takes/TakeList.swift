internal import Audio
internal import Control
internal import Linux

/// A reference to a finished take: `@1`, `@last`, `@NAME`, `@FILE` or `@ID`.
package struct TakeReference: Hashable, Sendable {
  /// The text after the `@`.
  package let text: String

  /// The character that a reference begins with.
  private static let mark = "@"
  /// The word for the newest take.
  private static let last = "last"

  /// Returns true for a word that begins with `@` and has no slash: a valid or an invalid
  /// reference. A word with a slash is a path.
  package static func isMeant(by word: String) -> Bool {
    word.begins(with: mark) && !word.utf8.contains(UInt8(ascii: "/"))
  }

  /// Parses a reference. Returns nil for any other word.
  package init?(_ word: String) {
    guard Self.isMeant(by: word) else { return nil }
    text = word.trimmingBytes(first: 1)
    guard !text.isEmpty, text != "0" else { return nil }
  }

  /// The number of the take among the takes with a file, 1 for the newest. Nil if the reference is
  /// a name or an identifier.
  package var number: Int? {
    text == Self.last ? 1 : Int(text).flatMap { $0 > 0 ? $0 : nil }
  }
}

extension TakeReference: CustomStringConvertible {
  /// The reference as the user types it.
  package var description: String { Self.mark + text }
}

/// The result of looking up a reference.
package enum FoundTake: Hashable, Sendable {
  case take(ListedTake)
  /// A running recording has this name or identifier.
  case recording(SessionRecord)
  /// No take matches. The value is the number of takes with a file.
  case none(of: Int)
}

extension TakeCatalogue {
  /// Returns the newest `count` takes, oldest first. If another program may have moved the file of
  /// one of these takes, `search` first looks for moved files. A take in the state `replaced`
  /// starts no search, because in most cases its file was replaced and not moved. If other machines
  /// share the home directory, all takes are checked, and any lost file starts the search.
  package func newestTakes(_ count: Int, _ search: MoveSearch? = nil) -> [ListedTake] {
    guard store.others.isEmpty else { return listedTakes(search).suffix(count) }
    guard let directory = open() else { return [] }
    let takes = markPruned(
      ListedTake.list(TakeRows.newest(count, in: directory).reversed(), changeLog))
    guard let search,
      takes.contains(where: { $0.isLost && $0.state != .replaced || $0.isDoubtful })
    else { return takes }
    return listedTakes(search).suffix(count)
  }

  /// Returns the newest `count` takes with a file, oldest first. `unfiled` is the number of takes
  /// without a file that are newer than the first returned take. If fewer than `count` takes have a
  /// file, all takes without a file are counted.
  package func newestFiles(
    _ count: Int, _ search: MoveSearch? = nil
  ) -> (takes: [ListedTake], unfiled: Int) {
    var takes = newestTakes(count, search)
    if !takes.allSatisfy(\.exists) { takes = newestTakes(Self.mostRead) }
    if takes.count == Self.mostRead, takes.count(where: \.exists) < count { takes = listedTakes }
    let files = takes.filter(\.exists).suffix(count)
    let newer = takes.drop { files.count == count && $0 != files.first }
    return (Array(files), newer.count - files.count)
  }

  /// Looks up a reference, after adding the announced files of dead sessions to the catalogue.
  ///
  /// If the reference is both a number and a name, the number is used. A running recording takes
  /// precedence over finished takes with the same name. Of several matching takes, the newest take
  /// with a file is chosen. The names of files are compared only if no take has the reference as
  /// its recording name or identifier.
  ///
  /// - Parameter search: searches for moved files if the take's file may have been moved.
  package func find(_ reference: TakeReference, _ search: MoveSearch? = nil) -> FoundTake {
    store.announcements.addTakes()
    if store.others.isEmpty, let take = numbered(reference) ?? named(reference), take.exists,
      !take.isLost, !take.isDoubtful
    {
      return .take(take)
    }
    return find(reference, among: listedTakes(search))
  }

  /// Returns the take with the number of a reference, if it is among the newest takes. Returns nil
  /// if another program may have moved the file of this take or of a newer take, because a search
  /// that finds this file changes the numbers of older takes.
  ///
  /// The takes are read from the end of the catalogue, without the index.
  private func numbered(_ reference: TakeReference) -> ListedTake? {
    guard let number = reference.number, number <= Self.mostRead else { return nil }
    return [number, Self.mostRead].lazy.compactMap { count in
      let takes = self.newestTakes(count)
      guard let index = takes.firstIndex(where: { $0.number == number }),
        !takes[index...].contains(where: { $0.isLost || $0.isDoubtful })
      else { return nil }
      return takes[index]
    }.first
  }

  /// Returns the newest take whose name or identifier is the text of `reference`. Returns nil if
  /// the text is a number or names a running recording.
  private func named(_ reference: TakeReference) -> ListedTake? {
    guard reference.number == nil, store.sessions.recording(reference.text) == nil,
      let directory = open(), let rows = TakeRows(in: directory, checking: false),
      let (age, row) = rows.newest(reference.text)
    else { return nil }
    let log = changeLog
    guard log.movedPaths.isEmpty else { return ListedTake.list(rows.all().suffix(age), log).first }
    return ListedTake(row, nil) { path in rows.newest(at: path, among: age - 1) != nil }
  }

  /// Returns the newest take whose file has this path.
  ///
  /// - Parameter search: searches for moved files if no take has a file at this path, if the file
  ///   may belong to another take, or if the take lacks the file of another track.
  package func take(at path: String, _ search: MoveSearch? = nil) -> ListedTake? {
    store.announcements.addTakes()
    let take = listedTake(at: path)
    guard let search, take?.exists != true || take?.isLost == true || take?.isDoubtful == true
    else { return take }
    _ = listedTakes(search)
    return listedTake(at: path)
  }

  /// Returns the number of files that were saved so far for the take of `file`. Files of further
  /// tracks do not count. The number is 1 if the take was not split.
  package func fileCount(of file: ListedTake) -> Int {
    let own = file.segment ?? 1
    guard file.host == nil, let directory = open(),
      let rows = TakeRows(in: directory, checking: false),
      let (_, last) = rows.newest(file.identifier)
    else { return own }
    return max(own, last.segment ?? 1)
  }

  /// Returns the newest take whose file has this path, without adding the announced files of dead
  /// sessions first.
  func listedTake(at path: String) -> ListedTake? {
    let log = changeLog
    guard store.others.isEmpty, log.movedPaths.isEmpty, let directory = open() else {
      let takes = listedTakes.filter {
        $0.path?.isSameName(as: path) == true && $0.state != .trashed
      }
      return (takes.last(where: \.exists) ?? takes.last)?.namedByPath
    }
    guard let rows = TakeRows(in: directory, checking: false),
      let found = rows.newest(at: path)
    else { return nil }
    // No other take can have replaced the newest take of a path.
    return ListedTake(found, nil) { _ in false }.namedByPath
  }

  private func find(_ reference: TakeReference, among takes: [ListedTake]) -> FoundTake {
    if let number = reference.number, let take = takes.last(where: { $0.number == number }) {
      return .take(take)
    }
    if let record = store.sessions.recording(reference.text) { return .recording(record) }
    let named = takes.filter { $0.row.isNamed(reference.text) }
    // A number that no take has must not match a file such as 12.wav.
    let mayBeFile = named.isEmpty && reference.number == nil
    let meant = mayBeFile ? takes.filter { $0.isFile(named: reference.text) } : named
    let take = meant.last(where: \.exists) ?? meant.last
    return take.map(FoundTake.take) ?? .none(of: takes.count(where: \.exists))
  }
}

/// The takes that a reference by name may mean, if there are several.
package struct NameClash: Hashable, Sendable {
  /// The take that is chosen, with its number.
  package let take: ListedTake
  /// The other takes whose file has the name in the reference, newest first. If `take` was chosen
  /// by its recording name, other takes with the same recording name are left out.
  package let others: [ListedTake]
  /// A newer take with this name whose file is missing, or nil if there is none.
  package let missing: ListedTake?
}

extension TakeCatalogue {
  /// Returns the takes that a reference may mean, or nil if the reference can only mean `take`.
  package func clash(of take: ListedTake, _ reference: TakeReference) -> NameClash? {
    let text = reference.text
    guard reference.number == nil, !take.identifier.isSameName(as: text), mayClash(take, text)
    else { return nil }
    let takes = listedTakes
    guard let index = takes.firstIndex(where: { $0.row == take.row }) else { return nil }
    let isNamed = take.name.isSameName(as: text)
    let others = takes.filter {
      $0.exists && $0.row != take.row && !(isNamed && $0.name.isSameName(as: text))
        && $0.isFile(named: text)
    }
    let missing = takes[index...].dropFirst().last {
      $0.state == .missing
        && (isNamed ? $0.name.isSameName(as: text) : $0.isFile(named: text))
    }
    guard !others.isEmpty || missing != nil && take.exists else { return nil }
    return NameClash(take: takes[index], others: others.reversed(), missing: missing)
  }

  /// Returns false if the reference can only mean `take`. Does not read the states of files.
  private func mayClash(_ take: ListedTake, _ text: String) -> Bool {
    guard store.others.isEmpty, changeLog.movedPaths.isEmpty, let directory = open(),
      let rows = TakeRows(in: directory, checking: false)
    else { return true }
    let isNamed = take.name.isSameName(as: text)
    return isNamed && rows.newest(text)?.row != take.row
      || rows.hasFile(named: text) { $0 != take.row && !(isNamed && $0.name.isSameName(as: text)) }
  }
}

extension String {
  /// Returns true if the file at this path has the name `text`, with or without its extension. For
  /// a take with a file for each track, `text` may also be the file name without the track.
  func isFile(named text: String, of tracks: [Track]) -> Bool {
    fileNames(of: tracks).contains {
      $0.isSameName(as: text) || $0.nameParts.stem.isSameName(as: text)
    }
  }

  /// Returns the name of the file at this path. For a take with a file for each track, also returns
  /// this name without the track.
  fileprivate func fileNames(of tracks: [Track]) -> [String] {
    let name = pathParts.name
    guard let track = tracks.first(where: { $0.file != nil })?.name,
      let shared = TrackFileName.removing(track, from: name)
    else { return [name] }
    return [name, shared]
  }
}

extension ListedTake {
  /// The names that a reference to the take can contain: the name of the recording, and the name of
  /// the file without its extension.
  package var names: [String] {
    [row.name] + (path?.fileNames(of: tracks) ?? []).map { $0.nameParts.stem }
  }

  /// Returns true if the file has this name, with or without its extension.
  fileprivate func isFile(named text: String) -> Bool {
    path?.isFile(named: text, of: tracks) == true
  }

  /// The same take, marked as found by its path.
  fileprivate var namedByPath: ListedTake {
    var take = self
    take.isNamedByPath = true
    return take
  }
}

/// All takes, read once for many lookups.
package struct TakeFinder {
  private let takes: [ListedTake]
  /// The takes with a file, newest first.
  private let numbered: [ListedTake]
  private let paths: [Path: Int]

  /// - Parameter recorded: the paths of files that are being recorded. A lookup by such a path
  ///   finds nothing.
  fileprivate init(_ takes: [ListedTake], besides recorded: [String]) {
    self.takes = takes
    numbered = takes.reversed().filter(\.exists)
    let recorded = Set(recorded.map(Path.init))
    let indexed = takes.indices.compactMap { index in
      takes[index].path.map { (path: Path($0), index: index) }
    }.filter { !recorded.contains($0.path) }
    paths = Dictionary(indexed.map { ($0.path, $0.index) }) { earlier, later in
      takes[earlier].exists && !takes[later].exists ? earlier : later
    }
  }

  /// Returns the take with the number of the reference. Without a reference, returns the take at
  /// `path`, unless a running recording will save its file there. Returns nil if the file of the
  /// take does not exist, and for a reference without a number. `TakeCatalogue.find` can then find
  /// the reason.
  package func take(_ reference: TakeReference?, at path: String) -> ListedTake? {
    guard let reference else {
      return paths[Path(path)].map { takes[$0] }.flatMap { $0.exists ? $0.namedByPath : nil }
    }
    guard let number = reference.number, numbered.indices.contains(number - 1) else { return nil }
    return numbered[number - 1]
  }
}

extension TakeCatalogue {
  /// Returns the current takes, for many lookups, after a search for moved files.
  package func finder(_ search: MoveSearch) -> TakeFinder {
    store.announcements.addTakes()
    return TakeFinder(listedTakes(search), besides: store.sessions.live.flatMap(\.paths))
  }
}
