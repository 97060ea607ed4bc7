internal import Control
internal import Linux
internal import Store

/// The recordings that `stop` and `wait` report if no name is given.
extension SessionClient {
  /// Returns the first of these recordings that exists:
  /// - the recording `name`, if a name is given
  /// - the `current` recording
  /// - the usual recording (`default`), if no command has reported its end
  /// - the usual recording, if it runs on another machine
  /// - the only recording whose end no command has reported, if it was interrupted or if it ended
  ///   within the last ten minutes
  /// - the usual recording, if its session died
  ///
  /// Throws if there is none, if there are several, or if the recording was interrupted and another
  /// recording has used its name since.
  ///
  /// - Parameter verb: `stop` or `wait`, for the commands in a message.
  func ending(named name: SessionName?, by verb: SessionVerb) throws -> SessionName {
    if let current = try name ?? current(all: verb == .stop) { return current }
    let sessions = store.sessions
    // This adds the takes of sessions that died while they saved their files. Otherwise, these
    // takes would count as lost.
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
  /// The time after the end of a recording during which the user may believe that it still runs.
  static let recency = Duration.seconds(600)

  /// Returns the recording that ended last, or nil if none ended within `recency`. If `name` is
  /// given, only recordings with this name count.
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
