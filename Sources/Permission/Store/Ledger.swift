internal import Digest
internal import JSON
package import Linux

/// All decisions of a user, as stored in one file.
package struct Ledger: Hashable, Sendable {
  /// The number of the ledger; every change adds 1.
  package let generation: UInt64
  /// The user and machine that the ledger was written for.
  package let owner: StoreOwner
  /// The decision for each client.
  package let records: [Client: Record]
  /// The grants of sessions. They do not depend on the records, but a refusal or a reset removes
  /// them.
  package let sessionGrants: [SessionID: SessionGrant]

  /// Creates a ledger from its parts.
  package init(
    generation: UInt64, owner: StoreOwner, records: [Client: Record],
    sessionGrants: [SessionID: SessionGrant] = [:]
  ) {
    self.generation = generation
    self.owner = owner
    self.records = records
    self.sessionGrants = sessionGrants
  }

  /// The ledger before the first decision.
  package static func empty(_ owner: StoreOwner) -> Ledger {
    Ledger(generation: 0, owner: owner, records: [:])
  }
}

/// A change of the ledger by a user, or by a session for the user.
package enum LedgerChange: Hashable, Sendable {
  case record(Client, Record)
  /// Removes the record and the session grants of a client, or all of them for everyone.
  case forget(Client)
  /// Gives a session its grant and uses up the client's grant for one recording.
  case sessionGrant(SessionID, SessionGrant)
  /// Removes the grant of a session.
  case end(SessionID)
}

extension LedgerChange {
  /// True if the change is a refusal, which must hold even if it cannot be written.
  var refuses: Bool {
    if case .record(_, let record) = self { record.isDenial } else { false }
  }
}

extension Ledger {
  /// Returns the ledger after a change, in the next generation.
  package func applying(_ change: LedgerChange, for owner: StoreOwner) -> Ledger {
    let mine = carried(to: owner)
    let (records, sessionGrants) = mine.contents(after: change)
    return Ledger(
      generation: generation + 1, owner: owner, records: records, sessionGrants: sessionGrants)
  }

  /// Returns the ledger for another machine or another user: every refusal and no grant.
  package func carried(to other: StoreOwner) -> Ledger {
    guard other != owner else { return self }
    return Ledger(
      generation: generation, owner: other, records: records.filter { $1.isDenial })
  }

  /// Returns the ledger without grants that have expired, which decide nothing.
  package func withoutOldGrants(_ clock: ClockReading) -> Ledger {
    Ledger(
      generation: generation, owner: owner,
      records: records.filter { $1.isDenial || $1.validity(clock) != .over },
      sessionGrants: sessionGrants)
  }

  /// Returns the ledger that a marker represents: every refusal, and one for everyone.
  package func refusingEveryone(at time: WallTime) -> Ledger {
    let refusal = Record(.denied, at: time, by: .command)
    return applying(.record(.everyone, refusal), for: owner)
  }
}

extension Ledger {
  private typealias Contents = (records: [Client: Record], sessionGrants: [SessionID: SessionGrant])

  private func contents(after change: LedgerChange) -> Contents {
    switch change {
    case .record(let client, let record) where record.isDenial: refusing(client, record)
    case .record(let client, let record): (records.merging([client: record]) { $1 }, sessionGrants)
    case .forget(.everyone): ([:], [:])
    case .forget(let client):
      (records.filter { $0.key != client }, sessionGrants.filter { $1.client != client })
    case .sessionGrant(let session, let grant): granting(session, grant)
    case .end(let session): (records, sessionGrants.filter { $0.key != session })
    }
  }

  /// Returns the contents after a refusal. A refusal for everyone also removes the grants of single
  /// clients, because a later reset of the refusal must not restore them.
  private func refusing(_ client: Client, _ record: Record) -> Contents {
    let everyone = client == .everyone
    let kept = everyone ? records.filter { $1.isDenial } : records
    return (
      kept.merging([client: record]) { $1 },
      everyone ? [:] : sessionGrants.filter { $1.client != client }
    )
  }

  /// Returns the contents after a session grant. Killed sessions leave grants that are never used
  /// again. So the grants of earlier boots are removed, and the oldest ones if there are too many.
  private func granting(_ session: SessionID, _ grant: SessionGrant) -> Contents {
    var kept = sessionGrants.filter { $1.boot == grant.boot || $1.boot == nil }
    while kept.count >= Self.mostSessionGrants,
      let oldest = kept.min(by: { $0.value.at < $1.value.at })
    {
      kept[oldest.key] = nil
    }
    kept[session] = grant
    return (records.filter { $0 != grant.client || !$1.isForOneRecording }, kept)
  }

  private static let mostSessionGrants = 64
}

/// The right of one session to use the microphone until it ends, made from a grant for one
/// recording.
package struct SessionGrant: Hashable, Sendable {
  /// The client that the session was started for.
  package let client: Client
  /// The time of the session grant, in whole seconds.
  package let at: WallTime
  /// The origin of the grant.
  package let by: Record.Origin
  /// The boot during which the session runs, or nil if it is unknown.
  package let boot: String?

  /// Creates a session grant. The time is truncated to whole seconds.
  package init(_ client: Client, at time: WallTime, by origin: Record.Origin, boot: String?) {
    self.client = client
    self.at = time.wholeSeconds
    self.by = origin
    self.boot = boot
  }
}

extension Ledger {
  /// True if the encoded file is small enough to be read again.
  var fits: Bool { encoded.count <= TrustedFile.store.largest }

  /// Reads the ledger from a file. Returns nil if the file does not exist.
  static func read(
    _ name: String, in directory: borrowing Directory, for owner: StoreOwner
  ) throws(StoreFault) -> Ledger? {
    let path = directory.path(of: name)
    return try mapError({ StoreFault.file(path, $0) }) { () throws(FileFlaw) in
      let bytes = try TrustedFile.store.read(name, in: directory, owner: owner.user)
      return try bytes.map { bytes throws(FileFlaw) in try Ledger(decoding: bytes) }
    }
  }

  /// The bytes of the file: a line with the checksum of the remaining bytes, then the JSON.
  package var encoded: [UInt8] {
    let body = Array((json.encoded() + "\n").utf8)
    return Array("sha256 \(SHA256(of: body).hexadecimal)\n".utf8) + body
  }

  /// Decodes exactly the bytes of `encoded`; throws for anything else.
  package init(decoding bytes: [UInt8]) throws(FileFlaw) {
    guard let end = bytes.prefix(128).firstIndex(of: UInt8(ascii: "\n")),
      bytes.starts(with: "sha256 ".utf8)
    else { throw .noChecksum }
    let body = Array(bytes[(end + 1)...])
    guard bytes[7..<end].elementsEqual(SHA256(of: body).hexadecimal.utf8) else { throw .checksum }
    self = try mapError(FileFlaw.malformed) { () throws(JSONError) in
      try Ledger(JSONValue(decoding: body.span, limits: JSONLimits(depth: 4)))
    }
  }

  private var json: JSONValue {
    let clients = records.sorted { $0.key.name < $1.key.name }
    let sessions = sessionGrants.sorted { $0.key.text < $1.key.text }
    return [
      "version": 1, "generation": generation.json, "uid": owner.user.json,
      "machine": owner.machine.json,
      "microphone": .object(JSONObject(clients.map { ($0.key.name, $0.value.json) })),
      "sessions": .object(JSONObject(sessions.map { ($0.key.text, $0.value.json) })),
    ]
  }

  private init(_ json: JSONValue) throws(JSONError) {
    let object = try JSONObject.required(json, "the store")
    try object.requireOnly("version", "generation", "uid", "machine", "microphone", "sessions")
    guard try object.value("version", as: Int.self) == 1 else { throw .unknown(key: "version") }
    let machine: String = try object.value("machine")
    let owner = StoreOwner(user: try object.value("uid"), machine: machine)
    self.init(
      generation: try object.value("generation"), owner: owner,
      records: try object.dictionary("microphone", Client.init) { member throws(JSONError) in
        try Record(member)
      },
      sessionGrants: try object.dictionary("sessions", SessionID.init) { member throws(JSONError) in
        try SessionGrant(member)
      })
  }
}

extension SessionGrant {
  fileprivate var json: JSONValue {
    var object: JSONObject = ["client": .string(client.name), "at": .string(at.rfc3339)]
    object.set("by", by.rawValue)
    object.set("boot", boot)
    return .object(object)
  }

  fileprivate init(_ object: JSONObject) throws(JSONError) {
    try object.requireOnly("client", "at", "by", "boot")
    self.init(
      try object.parsed("client", Client.init),
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
      throw .unfit(key: name, found: "something else", expected: "object")
    }
    return object
  }
}
