package import Control
internal import Linux

/// Takes that were cancelled and whose files were deleted. They are not in the catalogue. Their
/// results are kept for a while, because the user may ask for these takes.
extension TakeCatalogue {
  /// Stores the result of a deleted take, without its title, its note and the texts of its marks.
  /// This result replaces the result of an earlier deleted take with the same name.
  package func note(deleted result: RecordingResult, of name: SessionName) {
    var known = result
    (known.title, known.note, known.markTexts) = (nil, nil, [])
    try? store.write(known, to: SessionPaths.record(of: name), in: store.paths.deleted)
  }

  /// Returns the deleted take that ended last. If `name` is given, only takes with this name count.
  /// Returns nil if no such take ended within `limit`. Removes the results of takes that ended
  /// earlier.
  package func latestDeleted(_ name: String?, within limit: Duration) -> EndedTake? {
    let deleted: [RecordingResult] = store.all(in: store.paths.deleted)
    var latest: EndedTake?
    for result in deleted {
      let past = max(.zero, KernelClock.realTime.now - result.ended)
      guard past < limit else {
        if let old = SessionName(result.name) {
          store.remove(SessionPaths.record(of: old), in: store.paths.deleted)
        }
        continue
      }
      let isMeant = name.map { $0.isSameName(as: result.name) } ?? true
      guard isMeant, latest.map({ past < $0.past }) ?? true,
        let take = ListedTake.list([(take: result, host: nil)]).first
      else { continue }
      latest = EndedTake(take: take, result: result, past: past)
    }
    return latest
  }
}
