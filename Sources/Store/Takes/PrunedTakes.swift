package import Control
internal import JSON
internal import Linux

/// The list of takes whose files `--keep` deleted, one line for each take. With this list, these
/// files can be distinguished from files that the user deleted.
private enum PrunedTakes {
  static let file = "pruned.jsonl"
  static let most = 1 << 28
}

extension TakeCatalogue {
  /// Records that `--keep` deleted the files of takes. If the list cannot be written, the files
  /// count as missing.
  package func notePruned(_ takes: [RecordingResult]) {
    guard !takes.isEmpty, let directory = open() else { return }
    for take in takes {
      var line: JSONObject = ["id": take.identifier.json]
      line.set("segment", take.segment)
      _ = try? directory.append(line, to: PrunedTakes.file)
    }
  }

  /// Returns these takes. A take whose missing file was deleted by `--keep` gets the state
  /// `pruned`.
  func markPruned(_ takes: [ListedTake]) -> [ListedTake] {
    guard takes.contains(where: { $0.state == .missing }), let directory = open(),
      let bytes = directory.content(of: PrunedTakes.file, upTo: PrunedTakes.most)
    else { return takes }
    let keys = JSONValue.lines(of: bytes).compactMap { json in
      json["id"]?.string.map {
        TakeKey(identifier: $0, segment: json["segment"]?.integer(in: .ordinals) ?? 1)
      }
    }
    let pruned = Set(keys)
    return takes.map { $0.markedPruned(in: pruned) }
  }
}
