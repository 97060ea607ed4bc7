package import Linux

/// A program that has asked for access, or has a decision of the user.
package struct KnownProgram: Hashable, Sendable {
  /// The program.
  package let client: Client
  /// The decision about each service.
  package let decisions: [Decision]
  /// The time of its last event in the audit, or nil if there is none.
  package let lastUse: WallTime?
}

extension Authority {
  /// Returns all known programs, the last used one first, then those without a use by name.
  package func programs() throws(StoreFailure) -> [KnownProgram] {
    let uses = try store.audit.programUses()
    var situation = situation(AccessQuery(Set(Service.allCases), client: .allPrograms))
    let programs = situation.programs(in: uses).map { client in
      situation.client = client
      return KnownProgram(
        client: client, decisions: situation.decisions, lastUse: uses[client])
    }
    return programs.sorted { left, right in
      left.lastUse == right.lastUse
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
    var clients = Set(uses.keys)
    for subject in records.ledger?.records.keys ?? [:].keys { clients.insert(subject.client) }
    clients.remove(.allPrograms)
    return clients
  }
}

/// Returns whether a time is later than another one. No time is the earliest.
private func isLater(_ left: WallTime?, than right: WallTime?) -> Bool {
  guard let left, let right else { return left != nil }
  return left > right
}
