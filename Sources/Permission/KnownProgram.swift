package import Linux

/// A program that has asked for access, has a decision of the user, or is recording now.
package struct KnownProgram: Hashable, Sendable {
  /// The program.
  package let client: Client
  /// The status of each service, in the order of `Service.allCases`.
  package fileprivate(set) var statuses: [AuthorizationStatus]
  /// The time of the program's last use in the audit, or nil if the audit contains no use.
  /// Decisions of the user do not count as uses.
  package fileprivate(set) var lastUse: WallTime?
  /// Whether the program is recording now.
  package var isRecording = false
}

extension Authority {
  /// Returns all known programs. Programs that are recording are first. Both groups are sorted by
  /// last use, latest first, then by name.
  ///
  /// - Parameter recording: the programs that are recording now.
  package func programs(
    recording: Set<Client> = []
  ) throws(StoreFailure) -> [KnownProgram] {
    var list = knownPrograms
    try store.audit.readFiles { list.addUses(in: $0) }
    for client in recording { list.programs[list.index(of: client)].isRecording = true }
    return list.programs.sorted { left, right in
      guard left.isRecording == right.isRecording else { return left.isRecording }
      return left.lastUse == right.lastUse
        ? left.client.name < right.client.name : isLater(left.lastUse, than: right.lastUse)
    }
  }

  /// Returns the known programs with this base name, sorted by name. If the audit cannot be read,
  /// programs that occur only in the audit are missing.
  package func programs(called name: String) -> [Client] {
    var list = knownPrograms
    try? store.audit.readFiles { list.addUses(in: $0) }
    return list.programs.map(\.client).filter { $0.baseName.isSameName(as: name) }
      .sorted { $0.name < $1.name }
  }

  private var knownPrograms: ProgramList {
    ProgramList(situation(AccessQuery(Set(Service.allCases), client: .allPrograms)))
  }
}

/// The known programs: first the programs with a decision, then the programs that occur only in the
/// audit.
private struct ProgramList {
  var programs: [KnownProgram] = []
  private let situation: Situation
  /// The status of each service for a program without a decision.
  private let general: [AuthorizationStatus]
  /// The index of each program by a checksum of its name. If names have the same checksum, each
  /// further name gets the next free number as its key.
  private var indices: [UInt64: Int] = [:]

  /// Lists the programs with a decision.
  init(_ situation: Situation) {
    self.situation = situation
    general = situation.withoutRecords.decisions.map(\.status)
    let entries = situation.records.ledger?.records.entries ?? []
    indices.reserveCapacity(entries.count)
    for client in situation.portal.decisions.keys { _ = index(of: client) }
    for (column, service) in Service.allCases.enumerated() {
      // Both services often have the same programs in the same order, so try the next program
      // first.
      var next = 0
      for entry in entries
      where entry.subject.service == service && entry.subject.client != .allPrograms {
        let client = entry.subject.client
        let isNext = next < programs.count && programs[next].client == client
        let index = isNext ? next : index(of: client)
        next = index + 1
        decide(index, column, by: entry.record)
      }
    }
  }

  /// Applies the user's decision about a program to the program's status of a service.
  private mutating func decide(_ index: Int, _ column: Int, by record: Record) {
    // A general refusal or restriction has precedence over a decision about the program.
    guard programs[index].client.portalID == nil,
      general[column] == .notDetermined || general[column] == .authorized,
      let record = situation.own(record)
    else { return }
    if record.isDenial {
      programs[index].statuses[column] = .denied
    } else if record.validity(situation.clock) != .over {
      programs[index].statuses[column] = .authorized
    }
  }

  /// Adds the programs that have a use in a file of the audit. Sets the times of their last uses,
  /// unless a newer file has set them.
  mutating func addUses(in file: [UInt8]) {
    var search = UseSearch(file)
    while search.findPrevious() {
      let found = position(of: search.name.span)
      if let index = found.index {
        if programs[index].lastUse == nil { programs[index].lastUse = search.time }
      } else if let time = search.time,
        let client = Client(program: String(decoding: search.name, as: UTF8.self))
      {
        add(client, found.key)
        programs[programs.count - 1].lastUse = time
      }
    }
  }

  /// Returns the index of a program. If the list does not contain the program, adds it at the end.
  mutating func index(of client: Client) -> Int {
    let found = position(of: client.name.utf8.span)
    if found.index == nil { add(client, found.key) }
    return found.index ?? programs.count - 1
  }

  private mutating func add(_ client: Client, _ key: UInt64) {
    var statuses = general
    // The portals' store may have a decision about this program.
    if client.portalID != nil {
      var own = situation
      own.client = client
      statuses = own.decisions.map(\.status)
    }
    indices[key] = programs.count
    programs.append(KnownProgram(client: client, statuses: statuses, lastUse: nil))
  }

  /// Returns the index of a program, or nil for a new program, and the key of the program.
  private func position(of name: Span<UInt8>) -> (index: Int?, key: UInt64) {
    var key = name.checksum
    while let index = indices[key] {
      if programs[index].client.name.utf8.span.order(before: name) == 0 {
        return (index, key)
      }
      key &+= 1
    }
    return (nil, key)
  }
}

extension Situation {
  /// The same situation without the user's decisions about individual programs.
  fileprivate var withoutRecords: Situation {
    guard case .ledger(var ledger) = records else { return self }
    var refusals = Records()
    for subject in Scope.everything(.program).subjects {
      if let record = ledger.records[subject], record.isDenial { refusals[subject] = record }
    }
    ledger.records = refusals
    var other = self
    other.records = .ledger(ledger)
    return other
  }
}

/// Returns true if `left` is later than `right`. Nil is earlier than any time.
private func isLater(_ left: WallTime?, than right: WallTime?) -> Bool {
  guard let left, let right else { return left != nil }
  return left > right
}
