internal import Control
internal import Linux
internal import Store

/// The recordings that `stop` and `wait` report if no name is given.
extension SessionClient {
  /// Returns `name` if it is given. Otherwise returns the `current` recording, else the usual
  /// recording or the only recording among those that were interrupted, or ended within the last ten
  /// minutes, without a report.
  ///
  /// Throws if there is none, if there are several, or if the recording was interrupted and another
  /// one has used its name since.
  ///
  /// - Parameter verb: `stop` or `wait`, for the commands in a message.
  func ending(named name: SessionName?, by verb: SessionVerb) throws -> SessionName {
    if let current = try name ?? current(all: verb == .stop) { return current }
    let sessions = store.sessions
    // A session that died while it saved its file is not lost.
    store.announcements.addTakes()
    let ended = sessions.unreported.filter { $0.name == SessionName.usual || $0.end.isRecent }
    let usual = ended.first { $0.name == SessionName.usual }
    guard let found = usual ?? (isUsualDistant || ended.count > 1 ? nil : ended.first) else {
      if isUsualDistant || ended.isEmpty { return try usualElsewhere }
      throw Self.severalEnded(ended, verb)
    }
    if case .died(let record) = found.end, sessions.record(of: found.name) == nil {
      throw Self.interrupted(record)
    }
    return found.name
  }

  private static func severalEnded(
    _ ended: [(name: SessionName, end: SessionEnd)], _ verb: SessionVerb
  ) -> Failure {
    let advice = ended.map { name, end in
      "\(end.words(name.text)); \"recorder \(verb.rawValue) \(name.text)\" reports it"
    }
    return Failure(
      .notFound, "nothing is being recorded; \(ended.count) recordings ended without a report",
      advice: advice)
  }
}

extension SessionClient {
  /// The user may believe for this long after the end of a recording that it still runs.
  static let recency = Duration.seconds(600)

  /// Returns the last recording, or the last recording called `name`, that ended within `recency`,
  /// or nil.
  func lately(_ name: SessionName? = nil) -> EndedTake? {
    let ends = [
      store.catalogue.latest(name?.text, within: Self.recency),
      store.catalogue.latestDeleted(name?.text, within: Self.recency),
    ]
    return ends.compactMap(\.self).min { $0.past < $1.past }
  }
}

extension SessionEnd {
  /// Whether the user may believe that the recording still runs.
  fileprivate var isRecent: Bool {
    guard case .saved(let result) = self else { return true }
    return KernelClock.realTime.now - result.ended <= SessionClient.recency
  }

  /// The end of the recording called `name` as a clause.
  fileprivate func words(_ name: String) -> String {
    switch self {
    case .saved(let result): return result.endText(KernelClock.realTime.now - result.ended)
    case .died: return "\(quoted(name)) was interrupted"
    case .unknown: return "\(quoted(name)) ended"
    }
  }
}
