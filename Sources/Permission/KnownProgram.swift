package import Linux

/// A program that has asked for access, has a decision of the user, or records now.
package struct KnownProgram: Hashable, Sendable {
  /// The program.
  package fileprivate(set) var client: Client
  // An array would need memory of its own for each program.
  private var microphone: AuthorizationStatus
  private var systemAudio: AuthorizationStatus
  /// The time of the program's last use in the audit, or nil if there is none. Decisions of the
  /// user do not count as uses.
  package fileprivate(set) var lastUse: WallTime?
  /// Whether the program is recording now.
  package var isRecording = false

  /// Creates a program from the status of each service, in the order of `Service.allCases`.
  init(client: Client, statuses: [AuthorizationStatus], lastUse: WallTime?) {
    (self.client, self.lastUse) = (client, lastUse)
    (microphone, systemAudio) = (statuses[0], statuses[1])
  }

  /// The status of a service.
  package fileprivate(set) subscript(service: Service) -> AuthorizationStatus {
    get { service == .microphone ? microphone : systemAudio }
    set { if service == .microphone { microphone = newValue } else { systemAudio = newValue } }
  }

  /// The status of each service, in the order of `Service.allCases`.
  package var statuses: [AuthorizationStatus] { [microphone, systemAudio] }
}

extension Authority {
  /// Returns all known programs: those that are recording first, then the others. Both groups are
  /// sorted by last use, latest first, then by name.
  ///
  /// - Parameter recording: the programs that are recording now.
  package func programs(
    recording: Set<Client> = []
  ) throws(StoreFailure) -> [KnownProgram] {
    var list = knownPrograms
    try store.audit.readFiles { list.addUses(in: $0) }
    for client in recording { list.programs[list.index(of: client)].isRecording = true }
    list.programs.sort { left, right in
      guard left.isRecording == right.isRecording else { return left.isRecording }
      return left.lastUse == right.lastUse
        ? left.client.name < right.client.name : isLater(left.lastUse, than: right.lastUse)
    }
    return list.programs
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

/// The known programs: those with a decision first, then those of the log.
private struct ProgramList {
  var programs: [KnownProgram] = []
  private let situation: Situation
  /// A program without a decision.
  private let undecided: KnownProgram
  /// The index of each program by a checksum of its name. If names have the same checksum, each
  /// further name gets the next free number.
  private var indices: [UInt64: Int] = [:]

  /// Lists the programs with a decision.
  init(_ situation: Situation) {
    self.situation = situation
    undecided = KnownProgram(
      client: .allPrograms, statuses: situation.withoutRecords.decisions.map(\.status),
      lastUse: nil)
    let entries = situation.records.ledger?.records.entries ?? []
    let most = Service.allCases.map { service in entries.count { $0.subject.service == service } }
      .max()
    programs.reserveCapacity(most ?? 0)
    indices.reserveCapacity(most ?? 0)
    for client in situation.portal.decisions.keys { _ = index(of: client) }
    for service in Service.allCases {
      // Two services often have the same programs in the same order.
      var next = 0
      for entry in entries
      where entry.subject.service == service && entry.subject.client != .allPrograms {
        let client = entry.subject.client
        let isNext = next < programs.count && programs[next].client == client
        let index = isNext ? next : index(of: client)
        next = index + 1
        decide(index, service, by: entry.record)
      }
    }
  }

  /// Applies the user's decision about a program to its status of a service.
  private mutating func decide(_ index: Int, _ service: Service, by record: Record) {
    // Any other status has precedence over a decision about the program.
    guard programs[index].client.portalID == nil,
      undecided[service] == .notDetermined || undecided[service] == .authorized,
      let record = situation.own(record)
    else { return }
    if record.isDenial {
      programs[index][service] = .denied
    } else if record.validity(situation.clock) != .over {
      programs[index][service] = .authorized
    }
  }

  /// Adds the programs with a use in a file of the audit, and the times of their last uses, unless
  /// a newer file has a later use.
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

  /// Returns the index of a program, and adds it if it is new.
  mutating func index(of client: Client) -> Int {
    let found = position(of: client.name.utf8.span)
    if found.index == nil { add(client, found.key) }
    return found.index ?? programs.count - 1
  }

  private mutating func add(_ client: Client, _ key: UInt64) {
    var program = undecided
    program.client = client
    // The portals' store has decisions too.
    if client.portalID != nil {
      var own = situation
      own.client = client
      for decision in own.decisions { program[decision.service] = decision.status }
    }
    indices[key] = programs.count
    programs.append(program)
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
  /// The same situation without the user's decisions about single programs.
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

/// Returns whether a time is later than another one. Nil is earlier than any time.
private func isLater(_ left: WallTime?, than right: WallTime?) -> Bool {
  guard let left, let right else { return left != nil }
  return left > right
}
