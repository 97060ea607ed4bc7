internal import Audio
internal import Control
internal import Exports
internal import Linux
package import Store
internal import Takes

/// The search for takes by reference, with the messages for references that match no take.
package enum TakeLookup {
  /// Returns the path of a file that was typed as a path or as a reference. Throws if the file was
  /// moved or the reference matches no file.
  ///
  /// - Parameter notesSplit: whether to print a note for a reference to one file of a split take.
  package static func path(
    of file: FileOrTake, notesSplit: Bool = true, _ console: Console
  ) throws -> String {
    if let reference = file.reference {
      return try path(of: reference, notesSplit: notesSplit, console)
    }
    if let failure = try moved(file.text, console) { throw failure }
    return file.text
  }

  /// Returns the tracks of a take that has a file for each track, with the current paths of the
  /// files. Searches for moved files. Returns no tracks for any other file.
  static func fileTracks(at path: String, _ console: Console) -> [Track] {
    let catalogue = try? SessionClient().store.catalogue
    let whole = Program.absolutePath(of: path)
    var take = catalogue?.take(at: whole)
    if take?.isLost == true { take = catalogue?.take(at: whole, search(console)) }
    let listed = (take?.tracks ?? []).filter { $0.file != nil }
    return listed.isEmpty ? ExportSource.fileTracks(beside: path) : listed
  }

  /// Returns the tracks of a take that has a file for each track, if `path` is the first file and
  /// all files exist. Otherwise returns no tracks.
  static func wholeTracks(at path: String, _ console: Console) -> [Track] {
    let tracks = fileTracks(at: path, console)
    let files = tracks.compactMap(\.file).map(Program.absolutePath)
    let isFirst = files.first?.isSameName(as: Program.absolutePath(of: path)) == true
    let isWhole = files.allSatisfy { (try? FileStatus(of: $0))?.kind == .regular }
    return isFirst && isWhole ? tracks : []
  }

  /// Returns the path of the file that a reference names. Any other word may be another name, and
  /// is returned unchanged.
  static func path(
    ofTyped word: String, notesSplit: Bool, _ console: Console
  ) throws -> String {
    guard TakeReference.isMeant(by: word) else { return word }
    guard let reference = TakeReference(word) else {
      throw Failure(
        .usage,
        "\(quoted(word)) does not name a take; use a take of \"recorder takes\": @1 is the newest, "
          + "@NAME the newest of that name",
        advice: "for a file of that name, write \(quoted("./" + word))")
    }
    return try path(of: reference, notesSplit: notesSplit, console)
  }

  /// Returns the path of the file that a reference names. Warns if the file was changed, or
  /// if another file is at its path. Throws if the file does not exist, is in the trash or was
  /// replaced by a later take.
  package static func path(
    of reference: TakeReference, notesSplit: Bool = true, _ console: Console
  ) throws -> String {
    let take = try take(reference, console)
    guard let path = take.path else { throw unfiled(take, reference) }
    if notesSplit, take.exists { noteSplit(take, reference, console) }
    if take.exists, take.isDoubtful {
      console.warn("another program has replaced \(quoted(path)) since it was recorded")
      return path
    }
    switch take.state {
    case .whole, .unfiled: break
    case .changed: console.warn("\(quoted(path)) was changed since it was recorded")
    case .missing: throw missing(take, path, reference)
    case .pruned:
      throw Failure(
        .notFound, "cannot find the file of", on: "\(reference)",
        why: "--keep deleted \(quoted(path))")
    case .trashed: throw trashed(take, "\(reference)")
    case .replaced: throw replaced(path, reference)
    }
    return path
  }

  /// Returns the take that a reference names, with its file in any state. Throws if there is no
  /// such take.
  ///
  /// - Parameter isChanged: true if the command changes the take, so that a name that may mean
  ///   several takes is refused. If false, a note says which take was chosen.
  package static func take(
    _ reference: TakeReference, isChanged: Bool = false, _ console: Console
  ) throws -> ListedTake {
    let store = try SessionClient().store
    switch store.catalogue.find(reference, search(console)) {
    case .take(let take):
      if let clash = store.catalogue.clash(of: take, reference) {
        if isChanged, !clash.others.isEmpty { throw ambiguous(reference, clash) }
        console.note(chosen(reference, clash))
      }
      return take
    case .recording(let record): throw unfinished("\(reference)", record)
    case .none(let count):
      if let record = store.sessions.live.last(where: { $0.isMeant(by: reference) }) {
        throw unfinished("\(reference)", record)
      }
      if let record = store.deadSessions.crashed.last(where: { $0.isMeant(by: reference) }) {
        throw Failure(interrupted: record, savingTo: "\(reference)")
      }
      throw absent(
        reference, count, reference.number == nil ? suggestion(for: reference.text) : nil)
    }
  }

  /// Returns the take that a reference or the path of its file names, for a command that changes
  /// takes. Throws if there is no such take.
  static func takeToChange(_ file: FileOrTake, _ console: Console) throws -> ListedTake {
    if let reference = file.reference { return try take(reference, isChanged: true, console) }
    let path = Program.absolutePath(of: file.text)
    let store = try SessionClient().store
    if let record = store.sessions.recording(at: path) { throw unfinished(file.text, record) }
    let take = store.catalogue.take(at: path, search(in: path, console))
    if let take, take.exists { return take }
    if let interruption = RecordedFile(file.text).interruption { throw interruption }
    if let take { return take }
    if let failure = try moved(file.text, console) { throw failure }
    if let take = store.catalogue.listedTakes.last(where: { $0.exists && $0.hasFile(at: path) }) {
      throw track(file.text, of: take)
    }
    let isThere = (try? FileStatus(of: path, following: false)) != nil
    throw Failure(
      .notFound,
      isThere
        ? "\(quoted(file.text)) is not in the list of takes"
        : "no take or file named \(quoted(file.text))",
      advice: isThere
        ? "use \"mv\" or \"gio trash\" for other files"
        : suggestion(for: file.text) ?? "\"recorder takes\" lists the takes with their files")
  }

  /// Returns the failure for the old path of a take whose file is in the trash, was renamed or was
  /// deleted by `--keep`, and for a reference without its `@`. Returns nil for any other path, and
  /// for the file of a running or interrupted recording, because the user means that recording.
  static func moved(_ typed: String, _ console: Console) throws -> Failure? {
    let path = Program.absolutePath(of: typed)
    guard typed != "-", (try? FileStatus(of: path)) == nil, !RecordedFile(typed).isKnown
    else { return nil }
    let catalogue = try SessionClient().store.catalogue
    let takes = catalogue.listedTakes(search(console)).reversed()
    if let take = takes.first(where: {
      $0.state == .trashed && $0.path?.isSameName(as: path) == true
    }) {
      return trashed(take, typed)
    }
    let take = takes.first { $0.exists && $0.row.path?.isSameName(as: path) == true }
    if let take, let present = take.path {
      let isBeside = present.pathParts.directory.isSameName(as: path.pathParts.directory)
      return Failure(
        .notFound,
        "\(quoted(typed)) was \(isBeside ? "renamed" : "moved") to \(quoted(present))",
        advice: take.number.map { "type that path, or \"@\($0)\"" })
    }
    if takes.contains(where: { $0.state == .pruned && $0.hasFile(at: path) }) {
      return Failure(.notFound, "\(quoted(typed)) was deleted by --keep")
    }
    guard let reference = TakeReference("@" + typed),
      case .take(let take) = catalogue.find(reference), take.exists
    else { return nil }
    return Failure(
      .notFound, "no take or file named \(quoted(typed))",
      advice: "did you mean the take \(quoted("\(reference)"))?")
  }

  /// Returns a search for take files that another program has moved. A note reports the files that
  /// it finds.
  ///
  /// - Parameter path: another directory to search, or the only file to compare.
  static func search(in path: String = ".", _ console: Console) -> MoveSearch {
    MoveSearch(in: Program.absolutePath(of: path)) { moves in
      guard let first = moves.first else { return }
      let more = moves.count > 1 ? "; \(counted(moves.count - 1, "other file")) moved too" : ""
      console.note("\(quoted(first.from)) has moved to \(quoted(first.to))" + more)
    }
  }

  /// Returns the path of a file's sidecar, whose name may come from an earlier name of the file.
  /// Returns nil if the JSON file next to the file is the sidecar of another take.
  static func sidecar(of path: String) -> String? {
    let beside = path + ".json"
    guard let catalogue = try? SessionClient().store.catalogue else { return beside }
    let whole = Program.absolutePath(of: path)
    guard let file = try? Descriptor(opening: beside, [.nonBlocking]) else {
      return catalogue.movedSidecar(at: whole) ?? beside
    }
    guard let identifier = Sidecar.identifier(in: file) else { return beside }
    return catalogue.hasOtherTake(at: whole, than: identifier) ? nil : beside
  }

  /// Returns the title that `rename` gave to the take at `path`, or nil if it gave none. The title
  /// is empty if `rename` or an undo removed it.
  static func changedTitle(at path: String) -> String? {
    (try? SessionClient())?.store.catalogue.changedTitle(at: Program.absolutePath(of: path))
  }

  private static func words(_ take: ListedTake) -> String {
    let number = take.number.map { "\"@\($0)\" is " } ?? ""
    return number + quoted(take.path ?? take.name)
  }

  private static func ambiguous(_ reference: TakeReference, _ clash: NameClash) -> Failure {
    let candidates = [clash.take] + clash.others
    let count = counted(candidates.count, "take")
    return Failure(
      .usage, "\(quoted("\(reference)")) may mean \(count); type a number",
      advice: candidates.prefix(mostCandidates).map(words))
  }

  /// The maximum number of takes that the message about an ambiguous name lists.
  private static let mostCandidates = 9

  private static func chosen(_ reference: TakeReference, _ clash: NameClash) -> Message {
    let fact = "\(quoted("\(reference)")) is \(quoted(clash.take.path ?? clash.take.name))"
    guard let other = clash.others.first else {
      return Message(fact + "; the newer \(quoted(clash.missing?.path ?? "")) is missing")
    }
    let more = clash.others.count - 1
    let rest = more > 0 ? "; \(more) more \(more == 1 ? "has" : "have") that name" : ""
    return Message(fact + "; another take with that name: \(words(other))" + rest)
  }

  private static func track(_ typed: String, of take: ListedTake) -> Failure {
    Failure(
      .notFound, "\(quoted(typed)) is a track of the take \(quoted(take.path ?? take.name))",
      advice: take.number.map { "to change all files of the take, type that path, or \"@\($0)\"" })
  }

  private static func unfinished(_ text: String, _ record: SessionRecord) -> Failure {
    Failure(
      .alreadyRecording, "\(quoted(text)) is still being recorded",
      advice: "\"\(stopCommand(record.name))\" ends the recording; \"recorder takes\" has the "
        + "numbers of earlier takes")
  }

  private static func absent(
    _ reference: TakeReference, _ count: Int, _ suggestion: String?
  ) -> Failure {
    let number = reference.number
    let why =
      switch (number, count) {
      case (nil, _): "no recording and no file of a take has that name"
      case (_, 0): "there are no takes with a file"
      case (_, 1): "there is one take with a file, @1"
      default: "there are \(count) takes with files, and the oldest is @\(count)"
      }
    return Failure(
      .notFound, "cannot find the take", on: "\(reference)", why: why,
      advice: suggestion ?? "\"recorder takes\" lists all takes")
  }

  private static func missing(
    _ take: ListedTake, _ path: String, _ reference: TakeReference
  ) -> Failure {
    Failure(
      .notFound, "cannot find the file of", on: "\(reference)",
      why: "\(quoted(path)) no longer exists",
      advice: take.host.map { "it was recorded on \(quoted($0.name))" }
        ?? "if another program has moved it, give its current path")
  }

  private static func trashed(_ take: ListedTake, _ typed: String) -> Failure {
    Failure(
      .notFound, "\(quoted(typed)) is in the trash",
      advice: take.trash.map {
        "\"recorder undo --older\" restores it if nothing was changed since; until then its path is "
          + quoted($0)
      })
  }

  private static func replaced(_ path: String, _ reference: TakeReference) -> Failure {
    Failure(
      .notFound, "cannot find the file of", on: "\(reference)",
      why: "a later take has replaced \(quoted(path))",
      advice: "\"recorder takes\" shows the number of the later take")
  }

  private static func unfiled(_ take: ListedTake, _ reference: TakeReference) -> Failure {
    Failure(
      .notFound, "cannot find the file of", on: "\(reference)",
      why: take.row.isStream ? "the take was written to stdout" : "no file of the take was kept")
  }
}

extension ListedTake {
  /// Returns whether a path is the current path of one of the files.
  fileprivate func hasFile(at path: String) -> Bool {
    files.contains { $0.isSameName(as: path) }
  }
}
