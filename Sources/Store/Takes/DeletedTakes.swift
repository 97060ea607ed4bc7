package import Control
internal import Linux

/// Takes that were cancelled and whose files were deleted. The catalogue does not have them, but the
/// user may look for them for a while.
extension TakeCatalogue {
  /// Stores the result of a deleted take, without its texts. It replaces an earlier one of the name.
  package func note(deleted result: RecordingResult, of name: SessionName) {
    var known = result
    (known.title, known.note, known.markTexts) = (nil, nil, [])
    try? store.write(known, to: SessionPaths.record(of: name), in: store.paths.deleted)
  }

  /// Returns the take that was deleted last, or the last one named `name`. Returns nil if it ended
  /// longer than `limit` ago. Older results are removed.
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
      let isMeant = name.map { $0 == result.name } ?? true
      guard isMeant, latest.map({ past < $0.past }) ?? true,
        let take = ListedTake.list([(take: result, host: nil)]).first
      else { continue }
      latest = EndedTake(take: take, result: result, past: past)
    }
    return latest
  }
}
