internal import JSON
package import Linux

/// All decisions of a user about clients of one kind, as stored in one file.
package struct Ledger: Hashable, Sendable {
  /// The number of the ledger; every change adds 1.
  package internal(set) var generation: UInt64
  /// The user and machine that the ledger was written for.
  package let owner: StoreOwner
  /// The decision for each service and client.
  package internal(set) var records: Records
  /// The grants of sessions. Session grants do not depend on the records, but a refusal or a reset
  /// removes them.
  package internal(set) var sessionGrants: [SessionID: SessionGrant] = [:]
  /// The kind of the clients, which the file does not store.
  package internal(set) var kind = Client.Kind.caller

  /// The ledger before the first decision.
  package static func empty(_ owner: StoreOwner, of kind: Client.Kind = .caller) -> Ledger {
    Ledger(generation: 0, owner: owner, records: [:], kind: kind)
  }
}

/// A change of the ledger by a user, or by a session for the user.
package enum LedgerChange: Hashable, Sendable {
  case record(Scope, Record)
  /// Removes the records and the session grants in a scope.
  case forget(Scope)
  /// Gives a session its grant. The client's grants that are for one recording are used up.
  case sessionGrant(SessionID, SessionGrant)
  /// Removes the grant of a session.
  case end(SessionID)
}

extension LedgerChange {
  /// True if the change is a refusal, which must take effect even if it cannot be written.
  var refuses: Bool {
    if case .record(_, let record) = self { record.isDenial } else { false }
  }
}

extension Ledger {
  /// Returns the ledger after a change, in the next generation.
  package func applying(_ change: LedgerChange, for owner: StoreOwner) -> Ledger {
    var next = carried(to: owner)
    next.apply(change)
    next.generation += 1
    return next
  }

  /// Returns the ledger for an owner. Another machine or another user gets every refusal and no
  /// grant.
  package func carried(to other: StoreOwner) -> Ledger {
    guard other != owner else { return self }
    return Ledger(
      generation: generation, owner: other, records: records.filter { $1.isDenial }, kind: kind)
  }

  /// Returns the ledger without the grants that have expired.
  package func withoutOldGrants(_ clock: ClockReading) -> Ledger {
    var kept = self
    kept.records = records.filter { $1.isDenial || $1.validity(clock) != .over }
    return kept
  }

  /// Returns the ledger that a marker represents: the refusals of this ledger, and a refusal of
  /// everything.
  package func refusingEverything(at time: WallTime) -> Ledger {
    let refusal = Record(.denied, at: time, by: .command)
    return applying(.record(.everything(kind), refusal), for: owner)
  }
}

extension Ledger {
  private mutating func apply(_ change: LedgerChange) {
    switch change {
    case .record(let scope, let record):
      // A refusal of all clients also removes the grants of single clients, because a later reset
      // of the refusal must not restore them.
      if record.isDenial { forget(scope, unless: \.isDenial) }
      for subject in scope.subjects { records[subject] = record }
    case .forget(let scope): forget(scope, unless: { _ in false })
    case .sessionGrant(let session, let grant): add(grant, of: session)
    case .end(let session): sessionGrants[session] = nil
    }
  }

  private mutating func forget(_ scope: Scope, unless isKept: (Record) -> Bool) {
    records = records.filter { !scope.contains($0) || isKept($1) }
    sessionGrants = sessionGrants.compactMapValues { $0.without(scope) }
  }

  /// Adds a session grant. Killed sessions leave grants that are never used again. So the grants of
  /// earlier boots are removed. If there are still too many grants, the oldest grants are removed.
  private mutating func add(_ grant: SessionGrant, of session: SessionID) {
    sessionGrants = sessionGrants.filter { $1.boot == grant.boot || $1.boot == nil }
    while sessionGrants.count >= Self.mostSessionGrants,
      let oldest = sessionGrants.min(by: { $0.value.at < $1.value.at })
    {
      sessionGrants[oldest.key] = nil
    }
    sessionGrants[session] = grant.joined(with: sessionGrants[session])
    let used = grant.scope.subjects
    records = records.filter { !used.contains($0) || !$1.isForOneRecording }
  }

  private static let mostSessionGrants = 64

  /// Returns whether there is a record or a session grant in a scope.
  func hasDecisions(in scope: Scope) -> Bool {
    records.keys.contains(where: scope.contains)
      || sessionGrants.values.contains { $0.scope.subjects.contains(where: scope.contains) }
  }
}

/// The right of one session to record until the session ends. The origin is a grant for one
/// recording, or an answer at the prompt.
package struct SessionGrant: Hashable, Sendable {
  /// The client that the session was started for, and the granted services.
  package let scope: Scope
  /// The time of the session grant, in whole seconds.
  package let at: WallTime
  /// The origin of the grant.
  package let by: Record.Origin
  /// The boot during which the session runs, or nil if it is unknown.
  package let boot: String?

  /// Creates a session grant. The time is truncated to whole seconds.
  package init(_ scope: Scope, at time: WallTime, by origin: Record.Origin, boot: String?) {
    self.scope = scope
    self.at = time.wholeSeconds
    self.by = origin
    self.boot = boot
  }

  /// Returns whether the grant is for exactly this subject.
  func covers(_ subject: Subject) -> Bool { scope.subjects.contains(subject) }

  /// Returns the grant without the subjects of a scope, or nil if no service is left.
  fileprivate func without(_ other: Scope) -> SessionGrant? {
    let left = scope.subjects.filter { !other.contains($0) }.map(\.service)
    return left.isEmpty ? nil : with(Set(left))
  }

  /// Returns the grant, extended by the services of an earlier grant of the same session.
  fileprivate func joined(with former: SessionGrant?) -> SessionGrant {
    guard let former, former.scope.client == scope.client else { return self }
    return with(scope.services.union(former.scope.services))
  }

  private func with(_ services: Set<Service>) -> SessionGrant {
    SessionGrant(Scope(services, scope.client), at: at, by: by, boot: boot)
  }
}

extension Ledger {
  /// True if the encoded file is small enough to be read again.
  var fits: Bool { encoded.count <= kind.conditions.largest }

  /// Reads the ledger from a file. Returns nil if the file does not exist.
  static func read(
    _ name: String, in directory: borrowing Directory, of kind: Client.Kind, for owner: StoreOwner
  ) throws(TrustFault) -> Ledger? {
    let bytes = try kind.conditions.read(name, in: directory, owner: owner.user)
    guard let bytes else { return nil }
    return try TrustFault.of(directory.path(of: name), Ledger(decoding: bytes, of: kind))
  }

  /// The bytes of the file: a line with the checksum of the remaining bytes, then the JSON.
  package var encoded: [UInt8] {
    let body = Array((json.encoded() + "\n").utf8)
    return Self.file(of: body)
  }

  /// Returns the bytes of a file whose JSON is `body`.
  package static func file(of body: [UInt8]) -> [UInt8] {
    word + checksum(of: body, in: 0..<body.count) + [UInt8(ascii: "\n")] + body
  }

  private static let word = Array("checksum ".utf8)

  private static func checksum(of bytes: [UInt8], in range: Range<Int>) -> [UInt8] {
    Array(String(bytes.checksum(of: range), radix: 16).utf8)
  }

  /// Decodes the bytes of a file. Throws if the checksum is wrong, or if the JSON has an unknown
  /// key or a client of another kind.
  package init(
    decoding bytes: [UInt8], of kind: Client.Kind = .caller
  ) throws(FileFlaw) {
    guard let end = bytes.prefix(128).firstIndex(of: UInt8(ascii: "\n")),
      bytes.holds(Self.word, at: 0)
    else { throw .noChecksum }
    let body = end + 1..<bytes.count
    guard Array(bytes[Self.word.count..<end]) == Self.checksum(of: bytes, in: body) else {
      throw .checksum
    }
    let limits = JSONLimits(bytes: Int(kind.conditions.largest), depth: 4)
    let read =
      body.count <= limits.bytes ? RecordReader.read(bytes, from: body.lowerBound, kind) : nil
    let others = read?.others ?? Array(bytes[body])
    self = try mapError(
      FileFlaw.malformed, Ledger(JSONValue(decoding: others.span, limits: limits), kind))
    if let read { records = read.records }
  }

  private var json: JSONValue {
    let sessions = sessionGrants.sorted { $0.key.text < $1.key.text }
    var object: JSONObject = [
      "version": 1, "generation": generation.json, "uid": owner.user.json,
      "machine": owner.machine.json,
    ]
    for service in Service.allCases {
      let own = records.entries.filter { $0.subject.service == service }
      object[service.rawValue] = .object(
        JSONObject(distinct: own.map { ($0.subject.client.name, $0.record.json) }))
    }
    object["sessions"] = .object(JSONObject(sessions.map { ($0.key.text, $0.value.json) }))
    return .object(object)
  }

  private init(_ json: JSONValue, _ kind: Client.Kind) throws(JSONError) {
    let object = try JSONObject.required(json, "the store")
    try object.requireOnly(
      "version", "generation", "uid", "machine", "microphone", "systemAudio", "sessions")
    guard try object.value("version", as: Int.self) == 1 else { throw .unknown(key: "version") }
    let generation: UInt64 = try object.value("generation")
    // A later generation must fit into a JSON integer, too.
    guard generation < UInt64(Int64.max) else { throw .invalid(key: "generation") }
    let machine: String = try object.value("machine")
    let owner = StoreOwner(user: try object.value("uid"), machine: machine)
    var records = Records()
    for service in Service.allCases where service == .microphone || object[service.rawValue] != nil
    {
      for member in try object.value(service.rawValue, as: JSONObject.self).members {
        guard let client = kind.client(named: member.key) else { throw .unknown(key: member.key) }
        records[Subject(service, client)] = try Record(.required(member.value, member.key))
      }
    }
    self.init(
      generation: generation, owner: owner, records: records,
      sessionGrants: try object.dictionary("sessions", SessionID.init) { member throws(JSONError) in
        try SessionGrant(member, kind)
      }, kind: kind)
  }
}

extension SessionGrant {
  fileprivate var json: JSONValue {
    let services = Service.allCases.filter(scope.services.contains)
    var object: JSONObject = ["client": .string(scope.client.name)]
    object.set("services", services.map(\.rawValue))
    object.set("at", at.rfc3339)
    object.set("by", by.rawValue)
    object.set("boot", boot)
    return .object(object)
  }

  fileprivate init(_ object: JSONObject, _ kind: Client.Kind) throws(JSONError) {
    try object.requireOnly("client", "services", "at", "by", "boot")
    let words = try object.value("services", as: [String].self)
    let services = Set(words.compactMap(Service.init))
    guard !services.isEmpty, services.count == words.count else { throw .unknown(key: "services") }
    self.init(
      Scope(services, try object.parsed("client", kind.client)),
      at: try object.parsed("at", WallTime.init(rfc3339:)),
      by: try object.parsed("by", Record.Origin.init(rawValue:)), boot: try object.optional("boot"))
  }
}

extension JSONObject {
  /// Reads an object with keys of one type and values of one type.
  fileprivate func dictionary<Key: Hashable, Value>(
    _ name: String, _ key: (String) -> Key?,
    _ value: (JSONObject) throws(JSONError) -> Value
  ) throws(JSONError) -> [Key: Value] {
    var dictionary: [Key: Value] = [:]
    for member in try self.value(name, as: JSONObject.self).members {
      guard let key = key(member.key) else { throw .unknown(key: member.key) }
      dictionary[key] = try value(JSONObject.required(member.value, member.key))
    }
    return dictionary
  }

  fileprivate static func required(_ json: JSONValue, _ name: String) throws(JSONError)
    -> JSONObject
  {
    guard let object = json.object else {
      throw .unfit(key: name, found: json.kind, expected: "an object")
    }
    return object
  }
}
