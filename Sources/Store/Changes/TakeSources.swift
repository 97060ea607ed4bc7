internal import Audio
internal import Linux

extension TakeChanges {
  /// Returns a move of a file, with the present path of the file as both `from` and `to`.
  static func source(
    _ path: String, _ take: TakeKey, isSidecar: Bool = false, track: String? = nil,
    _ status: FileStatus
  ) -> TakeMove {
    TakeMove(
      take: take, isSidecar: isSidecar, track: track, from: path, to: path,
      file: FileTrace(status).withBirth(at: path))
  }

  /// Returns the files of a take as moves: the sound file, the files of further tracks, and the
  /// sidecar if it exists.
  ///
  /// The path of the take is looked up again in `log`, because opening the journal may have
  /// completed an earlier change. If a change moved the file of another take to this path, this
  /// function throws `missing`.
  ///
  /// Throws if another program has replaced a file of the take, unless the user gave the path of
  /// the take.
  func sources(
    of take: ListedTake, for action: TakeChange.Action, _ log: ChangeLog,
    _ movers: [Path: [TakeKey]]
  ) throws(TakeChangeError) -> [TakeMove] {
    let (wasReplaced, isNamedByPath) = (take.state == .replaced, take.isNamedByPath)
    let moved = log.paths(of: take.row, on: take.host)
    let take =
      take.host == nil
      ? ListedTake(take.row, moved) { _ in wasReplaced } : take
    guard let path = take.path else { throw .unfiled }
    if take.host != nil { throw .elsewhere(path) }
    if take.state == .trashed { throw .missing(path) }
    if take.state == .replaced { throw .exchanged(path) }
    let key = take.row.key
    let others = movers[Path(path)]?.filter { $0 != key } ?? []
    if others.contains(where: { log.movedPaths[$0]?.isStill(at: path) == true }) {
      throw .missing(path)
    }
    guard let status = try? FileStatus(of: path, following: false) else { throw .missing(path) }
    guard status.kind == .regular else { throw .notRegular(path) }
    if take.isDoubtful, !isNamedByPath { throw .foreign(path, take: path, action) }
    var files = [Self.source(path, key, status)]
    let tracks = take.tracks.filter { $0.file != nil }
    let traces = tracks.isEmpty || isNamedByPath ? [] : traces(of: take)
    for (index, track) in tracks.enumerated().dropFirst() {
      guard let file = track.file, let status = try? FileStatus(of: file, following: false),
        status.kind == .regular
      else { continue }
      let saved = index < traces.count ? traces[index] : nil
      if !isNamedByPath, let trace = take.movedTrace(ofTrack: track.name) ?? saved,
        !trace.isSame(as: FileTrace(status), at: file)
      {
        throw .foreign(file, take: path, action)
      }
      files.append(Self.source(file, key, track: track.name, status))
    }
    guard let sidecar = take.sidecar,
      let status = try? FileStatus(of: sidecar, following: false), status.kind == .regular
    else { return files }
    return files + [Self.source(sidecar, key, isSidecar: true, status)]
  }

  private func traces(of take: ListedTake) -> [FileTrace] {
    var lines = TakeLines(of: store)
    return lines.traces(of: take)
  }
}
