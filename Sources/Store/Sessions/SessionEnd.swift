package import Control
internal import Linux

/// The end of a recording whose session has closed its connections.
package enum SessionEnd: Sendable {
  /// The recording was saved with this result.
  case saved(RecordingResult)
  /// The session of this record died.
  case died(SessionRecord)
  /// The session still runs, or has saved no result.
  case unknown
}

extension SessionStore {
  /// Waits up to 5 s until the process of a session has ended, so that its result is saved and the
  /// next recording called `name` can start.
  package func awaitProcess(of name: SessionName) {
    // Locking a name that was never used would leave a lock file.
    guard isLive(name) else { return }
    _ = try? lock(name, waitingUpTo: .seconds(5))
  }

  /// Returns the end of the recording called `name` with this identifier. Waits up to 5 s until its
  /// process has ended.
  package func end(of identifier: String, called name: SessionName) -> SessionEnd {
    awaitProcess(of: name)
    if let result = store.catalogue.result(identifiedBy: identifier) { return .saved(result) }
    let died = store.deadSessions.crashed.last { $0.identifier == identifier }
    return died.map { .died($0) } ?? .unknown
  }
}

extension SessionStore {
  /// The ends of recordings that no command has reported yet, one for each name. An interrupted
  /// recording is included until `recover` has saved it or reported its loss.
  package var unreported: [(name: SessionName, end: SessionEnd)] {
    var ends: [(name: SessionName, end: SessionEnd)] = []
    var names: Set<SessionName> = []
    func add(_ text: String, _ end: SessionEnd) {
      guard let name = SessionName(text), names.insert(name).inserted else { return }
      ends.append((name: name, end: end))
    }
    let results = results
    for record in records where !isLive(record) {
      let result = results.first { $0.identifier == record.identifier }
      add(record.name, result.map(SessionEnd.saved) ?? .died(record))
    }
    // A cancelled recording whose file was deleted needs no report.
    for result in results where result.reason != .cancelled { add(result.name, .saved(result)) }
    // Of several dead recordings with the same name, only the newest is added.
    for record in store.deadSessions.crashed.reversed() { add(record.name, .died(record)) }
    return ends
  }
}
