package import Linux

/// A program that has asked for access, has a decision of the user, or records now.
package struct KnownProgram: Hashable, Sendable {
  /// The program.
  package let client: Client
  /// The status of each service, in the order of `Service.allCases`.
  package let statuses: [AuthorizationStatus]
  /// The time of its last event in the audit, or nil if there is none.
  package let lastUse: WallTime?
  /// Whether the program is recording now.
  package var isRecording = false
}

extension Authority {
  /// Returns all known programs: those that are recording first, then the last used ones, then
  /// those without a use by name.
  ///
  /// - Parameter recording: the programs that are recording now.
  package func programs(
    recording: Set<Client> = []
  ) throws(StoreFailure) -> [KnownProgram] {
    let uses = try store.audit.programUses()
    let situation = situation(AccessQuery(Set(Service.allCases), client: .allPrograms))
    let general = situation.withoutRecords.decisions.map(\.status)
    let programs = situation.programs(in: uses).union(recording).map { client in
      KnownProgram(
        client: client, statuses: situation.statuses(of: client, general: general),
        lastUse: uses[client], isRecording: recording.contains(client))
    }
    return programs.sorted { left, right in
      guard left.isRecording == right.isRecording else { return left.isRecording }
      return left.lastUse == right.lastUse
        ? left.client.name < right.client.name : isLater(left.lastUse, than: right.lastUse)
    }
  }

  /// Returns the known programs with this base name, sorted by name. An audit that cannot be read
  /// hides the programs that are only there.
  package func programs(called name: String) -> [Client] {
    let uses = (try? store.audit.programUses()) ?? [:]
    let situation = situation(AccessQuery(client: .allPrograms))
    return situation.programs(in: uses).filter { $0.baseName.isSameName(as: name) }
      .sorted { $0.name < $1.name }
  }
}

extension Situation {
  /// Returns the programs with a use or a decision.
  fileprivate func programs(in uses: [Client: WallTime]) -> Set<Client> {
    var clients = Set(uses.keys).union(portal.decisions.keys)
    for subject in records.ledger?.records.keys ?? [:].keys { clients.insert(subject.client) }
    clients.remove(.allPrograms)
    return clients
  }

  /// The same situation without the user's decisions about single programs.
  fileprivate var withoutRecords: Situation {
    guard case .ledger(var ledger) = records else { return self }
    var refusals: [Subject: Record] = [:]
    for subject in Scope.everything(.program).subjects {
      if let record = ledger.records[subject], record.isDenial { refusals[subject] = record }
    }
    ledger.records = refusals
    var other = self
    other.records = .ledger(ledger)
    return other
  }

  /// Returns the same status of each service as `decisions`, without a situation for each of many
  /// programs.
  ///
  /// - Parameter general: the status of each service for a program without a decision.
  fileprivate func statuses(
    of client: Client, general: [AuthorizationStatus]
  ) -> [AuthorizationStatus] {
    if client.portalID != nil {
      var own = self
      own.client = client
      return own.decisions.map(\.status)
    }
    return zip(Service.allCases, general).map { service, general in
      // Any other status has precedence over a decision about the program.
      guard general == .notDetermined || general == .authorized,
        let record = ownRecord(Subject(service, client))
      else { return general }
      if record.isDenial { return .denied }
      return record.validity(clock) == .over ? general : .authorized
    }
  }
}

/// Returns whether a time is later than another one. No time is the earliest.
private func isLater(_ left: WallTime?, than right: WallTime?) -> Bool {
  guard let left, let right else { return left != nil }
  return left > right
}
