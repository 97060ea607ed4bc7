internal import Control
package import Linux

extension SessionRecord {
  /// The place of a part in the take; nil for a file that the session does not know.
  package func place(ofPart status: FileStatus) -> RecordedPart.PlaceInTake? {
    parts.first { $0.file == RecordedPart.Number(status) }?.place
  }

  /// True if the path of a part leads to that file.
  fileprivate func leads(to status: FileStatus) -> Bool {
    parts.contains { part in
      (try? FileStatus(of: part.path, following: false))?.isSameFile(as: status) == true
    }
  }

  /// True if a part has the number of that file and its name: its directory was renamed.
  fileprivate func knows(_ status: FileStatus, named name: String) -> Bool {
    parts.contains { $0.path.pathParts.name.isSameName(as: name) }
      && place(ofPart: status) != nil
  }
}

/// Parts whose directory was renamed while they were recorded.
///
/// A live session writes their new paths to its record within a second. Those of one that died
/// before are found by their numbers.
extension SessionStore {
  /// The age after which a recording that was not found is no longer reported.
  private static var longestLost: Duration { .seconds(30 * 86_400) }

  /// The record of a part, by its inode and its name: any path may lead to it.
  package func record(ofPart status: FileStatus, named name: String) -> SessionRecord? {
    let stores = [self] + others
    let known = stores.lazy.flatMap { $0.records + $0.setAside }
    return known.first { $0.leads(to: status) }
      ?? stores.lazy.flatMap { $0.records + $0.allAside }.first { $0.knows(status, named: name) }
  }

  /// The dead recordings whose parts are not at their paths: their directories were renamed or
  /// removed.
  package var lost: [SessionRecord] {
    let dead = records.filter { record in
      SessionName(record.name).map { !isLive($0) } ?? false
    }
    return (dead + allAside).filter(isLost)
  }

  func isLost(_ record: SessionRecord) -> Bool {
    guard let last = record.parts.last, let number = last.file, !record.isLeft,
      !isElsewhere(record), KernelClock.realTime.now - record.began < Self.longestLost
    else { return false }
    let directory = try? FileStatus(of: last.path.pathParts.directory)
    // The directory is unchanged, so the part was removed or saved.
    if directory.map(RecordedPart.Number.init) == last.directory { return false }
    let saved = [record.path].compactMap(\.self) + takes(of: record).compactMap(\.path)
    return !saved.contains { path in
      (try? FileStatus(of: path, following: false)).map(RecordedPart.Number.init) == number
    }
  }

  private func takes(of record: SessionRecord) -> [RecordingResult] {
    takes.filter { $0.identifier == record.identifier }
  }
}
