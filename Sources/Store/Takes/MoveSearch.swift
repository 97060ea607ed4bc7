internal import Audio
internal import Control
internal import JSON
internal import Linux

/// A search for the files of takes, after another program such as `mv` has moved these files.
///
/// For each lost file, the search reads the last known directory, the original directory, and their
/// direct subdirectories. It also reads one further directory. If a file matches two takes equally
/// well, or two files match one take equally well, none of these matches is used.
package struct MoveSearch {
  /// The path of the further directory, or of the only file that is compared.
  private let other: String
  /// The maximum duration of reading directories.
  private let limit: Duration
  /// Reports the moved files, with their old and new paths.
  fileprivate let report: ([TakeMove]) -> Void

  /// The maximum number of takes to search for. The newest takes are chosen.
  private static let mostTakes = 100

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - other: the absolute path of a further directory. If it is the path of a file, only that
  ///     file is compared.
  ///   - limit: the maximum duration of reading directories, which may be slow on a network.
  ///   - report: called with the moved files if there are any.
  package init(
    in other: String, within limit: Duration = .seconds(1),
    _ report: @escaping ([TakeMove]) -> Void
  ) {
    self.other = other
    self.limit = limit
    self.report = report
  }
}

extension TakeCatalogue {
  /// Returns the takes of this machine and of the other machines that share the home directory,
  /// oldest first, after a search for moved files. The new paths are recorded and reported.
  package func listedTakes(_ search: MoveSearch?) -> [ListedTake] {
    let takes = listedTakes
    guard let search, takes.contains(where: \.isLost) else { return takes }
    let moves = search.moves(of: takes, in: store)
    guard !moves.isEmpty, (try? record(moves)) != nil else { return takes }
    search.report(moves.filter { !$0.isSidecar })
    return listedTakes
  }

  private func record(_ moves: [TakeMove]) throws {
    let journal = try ChangeJournal(in: store.paths.state, longest: ChangeLog.longestChange)
    // No file is moved here, because the files are already at their new paths.
    try journal.make(journal.next(.paths, moves.map { $0.repeated($0.file, from: $0.to) }))
  }
}

extension MoveSearch {
  /// Returns the moves of the files that were found, and of their sidecars, from the old to the new
  /// paths.
  fileprivate func moves(of takes: [ListedTake], in store: MachineStore) -> [TakeMove] {
    let lost = takes.filter(\.isLost).suffix(Self.mostTakes)
    var lines = TakeLines(of: store)
    let files = lost.flatMap { lines.lostFiles(of: $0) }
    guard !files.isEmpty else { return [] }
    var candidates = MoveCandidates(
      besides: takes.filter(\.exists).flatMap(\.files), within: limit)
    if !candidates.add(file: other) {
      let paths = files.map(\.from) + lost.compactMap(\.row.path)
      candidates.add(directories: paths.map(Self.directory) + [other])
    }
    let found = files.compactMap { candidates.match($0) }
    let moves = found.filter { match in
      found.count { $0.rank <= match.rank && $0.move.to.isSameName(as: match.move.to) } == 1
    }.map(\.move)
    return moves
      + moves.compactMap { move in
        lost.first { $0.row.key == move.take }.flatMap { Self.sidecar(of: $0, beside: move) }
      }
  }

  /// Returns the directory of a path. If this directory does not exist, returns the directory above
  /// it.
  private static func directory(of path: String) -> String {
    let directory = path.pathParts.directory
    let exists = (try? FileStatus(of: directory))?.kind == .directory
    return exists ? directory : directory.pathParts.directory
  }

  /// Returns the move of the sidecar that belongs to a moved file. If the sidecar is still at its
  /// old path, the move keeps this path. Returns nil if no sidecar of the take is found.
  private static func sidecar(of take: ListedTake, beside move: TakeMove) -> TakeMove? {
    guard move.isOfFirstFile, let old = take.sidecar ?? take.row.sidecar else { return nil }
    let paths = [
      move.to + ".json", move.to.pathParts.directory.path(of: old.pathParts.name), old,
    ]
    return paths.first { TakeKey(ofSidecar: $0) == move.take }.map { path in
      TakeMove(
        take: move.take, isSidecar: true, from: old, to: path, file: FileTrace(of: path))
    }
  }
}

extension TakeLines {
  /// Returns the facts that identified the files of a take when it was saved, or none if they are
  /// not known.
  mutating func traces(of take: ListedTake) -> [FileTrace] {
    let json = text(of: take).flatMap { line in
      try? JSONValue(
        decoding: Array(line.text).span, limits: JSONLimits(bytes: MachineStore.largest))
    }
    return json?[FileTrace.key].flatMap([FileTrace].init(json:)) ?? []
  }

  /// Returns the files of a take that are not at their paths. Each result is a move whose `from`
  /// and `to` are the path of the file.
  fileprivate mutating func lostFiles(of take: ListedTake) -> [TakeMove] {
    var traces = traces(of: take)
    guard !traces.isEmpty else { return [] }
    traces[0] = take.movedTrace ?? traces[0]
    let tracks = take.tracks.filter { $0.file != nil }.map(\.name)
    var moves: [TakeMove] = []
    for (index, (path, trace)) in zip(take.files, traces).enumerated() {
      let track = index == 0 ? nil : tracks[index]
      let trace = index == 0 ? trace : take.movedTrace(ofTrack: track) ?? trace
      // For the first file, the trace is not enough: a later take may have the same path, with a
      // file of the same size and time.
      let isHere = track == nil ? take.exists : trace.isAt(path)
      guard path.begins(with: "/"), !isHere else { continue }
      moves.append(
        TakeMove(take: take.row.key, track: track, from: path, to: path, file: trace))
    }
    return moves
  }
}

/// The files that may be the moved files.
private struct MoveCandidates {
  private var files: [File] = []
  private var directories: Set<FileStatus> = []
  /// The paths at which the files of takes are. These files are not candidates.
  private let taken: Set<Path>
  private let end: Duration

  /// The maximum number of files that are compared.
  private static let mostFiles = 20_000

  private struct File {
    let path: String
    let trace: FileTrace
    let isOwn: Bool
    /// The take in the sidecar next to the file, or `.some(nil)` if there is no sidecar. It is nil
    /// until the sidecar is read.
    var owner: TakeKey??
  }

  init(besides taken: [String], within limit: Duration) {
    self.taken = Set(taken.map(Path.init))
    end = KernelClock.monotonic.now + limit
  }

  /// Adds one file. Returns false if no regular file is at the path, or if the file of a take is
  /// known to be at this path.
  mutating func add(file path: String) -> Bool {
    guard !taken.contains(Path(path)), let status = try? FileStatus(of: path, following: false),
      status.kind == .regular
    else { return false }
    add(path, status)
    return true
  }

  /// Adds the files of directories and of their direct subdirectories. The last directory is added
  /// without its subdirectories.
  mutating func add(directories paths: [String]) {
    var below: [String] = []
    for (index, path) in paths.enumerated() {
      let subdirectories = add(directory: path)
      if index < paths.count - 1 { below += subdirectories }
    }
    for path in below { _ = add(directory: path) }
  }

  /// Adds the files of a directory, unless they were added before, and returns its subdirectories.
  /// Hidden files and sidecars are left out.
  private mutating func add(directory path: String) -> [String] {
    guard let directory = try? Directory(path), let status = try? directory.descriptor.status(),
      directories.insert(status).inserted, let names = try? directory.names(upTo: Self.mostFiles)
    else { return [] }
    var subdirectories: [String] = []
    for name in names where !name.begins(with: ".") {
      guard files.count < Self.mostFiles, KernelClock.monotonic.now < end else { break }
      guard let status = try? directory.status(of: name) else { continue }
      if status.kind == .directory {
        subdirectories.append(directory.path(of: name))
      } else if status.kind == .regular, !name.ends(with: ".json") {
        add(directory.path(of: name), status)
      }
    }
    return subdirectories
  }

  private mutating func add(_ path: String, _ status: FileStatus) {
    guard !taken.contains(Path(path)) else { return }
    let isOwn = status.owner == Environment.effectiveUser
    files.append(File(path: path, trace: FileTrace(status), isOwn: isOwn))
  }
}

extension MoveCandidates {
  /// Returns the move of a file to the path at which it was found, or nil if no file matches or
  /// several match equally well. A lower rank is more certain.
  mutating func match(_ lost: TakeMove) -> (move: TakeMove, rank: Int)? {
    var found: [(index: Int, rank: Int)] = []
    for index in files.indices {
      if let rank = rank(of: index, as: lost) { found.append((index, rank)) }
    }
    guard let best = found.map(\.rank).min() else { return nil }
    let first = found.filter { $0.rank == best }
    guard first.count == 1, let index = first.first?.index else { return nil }
    let file = files[index]
    let move = TakeMove(
      take: lost.take, track: lost.track, from: lost.from, to: file.path,
      file: file.trace.withBirth(at: file.path))
    return (move, best)
  }

  /// Returns the rank of a candidate: 0 for the same file, 1 for a file whose sidecar names the
  /// take, and 2 for a file of the same name that was edited or copied. Returns nil for any other
  /// file.
  private mutating func rank(of index: Int, as lost: TakeMove) -> Int? {
    let (file, former) = (files[index], lost.file)
    if file.trace == former { return 0 }
    let isSame = file.trace.inode == former.inode
    guard isSame || file.trace.size == former.size else { return nil }
    let owner = file.owner ?? TakeKey(ofSidecar: file.path + ".json")
    files[index].owner = owner
    if let owner { return owner == lost.take ? 1 : nil }
    guard file.path.pathParts.name.isSameName(as: lost.from.pathParts.name) else { return nil }
    let isEdited = isSame && file.isOwn && !former.precedesFile(at: file.path)
    return isEdited || former.isCopied(to: file.trace) ? 2 : nil
  }
}

extension TakeKey {
  /// The maximum size of a sidecar in bytes. Even the sidecar of a take of several days is smaller.
  private static let largestSidecar = 1 << 26

  /// Reads the key of the take from a sidecar. Returns nil if the file is not a sidecar.
  fileprivate init?(ofSidecar path: String) {
    guard let file = try? Descriptor(opening: path, [.noFollow, .nonBlocking]),
      (try? file.status())?.kind == .regular,
      let bytes = try? file.readAll(upTo: Self.largestSidecar),
      let json = try? JSONValue(
        decoding: bytes.span, limits: JSONLimits(bytes: Self.largestSidecar)),
      let identifier = json["id"]?.string
    else { return nil }
    self.init(identifier: identifier, segment: json["segment"]?.integer(in: .ordinals) ?? 1)
  }
}
