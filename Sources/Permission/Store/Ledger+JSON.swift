internal import Digest
internal import JSON
internal import Linux

extension Ledger {
  /// The bytes of the file: a line with the checksum of all that follows, then the JSON.
  package var encoded: [UInt8] {
    let body = Array((json.encoded() + "\n").utf8)
    return Array("sha256 \(SHA256(of: body).hexadecimal)\n".utf8) + body
  }

  /// Decodes exactly the bytes of `encoded`; throws for anything else.
  package init(decoding bytes: [UInt8]) throws(LedgerFlaw) {
    guard let end = bytes.prefix(128).firstIndex(of: UInt8(ascii: "\n")),
      bytes.starts(with: "sha256 ".utf8)
    else { throw .noChecksum }
    let body = Array(bytes[(end + 1)...])
    guard bytes[7..<end].elementsEqual(SHA256(of: body).hexadecimal.utf8) else { throw .checksum }
    do {
      try self.init(JSONValue(decoding: body.span, limits: JSONLimits(depth: 4)))
    } catch {
      throw .malformed(error.description)
    }
  }

  private var json: JSONValue {
    let clients = records.sorted { $0.key.name < $1.key.name }
    let sessions = passes.sorted { $0.key.text < $1.key.text }
    return [
      "version": 1, "generation": generation.json, "uid": binding.user.json,
      "machine": binding.machine.json,
      "microphone": .object(JSONObject(clients.map { ($0.key.name, $0.value.json) })),
      "sessions": .object(JSONObject(sessions.map { ($0.key.text, $0.value.json) })),
    ]
  }

  private init(_ json: JSONValue) throws(JSONError) {
    let object = try JSONObject.required(json, "the store")
    try object.requireOnly("version", "generation", "uid", "machine", "microphone", "sessions")
    guard try object.value("version", as: Int.self) == 1 else { throw .unknown(key: "version") }
    let machine: String = try object.value("machine")
    let binding = Binding(user: try object.value("uid"), machine: machine)
    self.init(
      generation: try object.value("generation"), binding: binding,
      records: try object.dictionary("microphone", Client.init) { member throws(JSONError) in
        try Record(member)
      },
      passes: try object.dictionary("sessions", SessionID.init) { member throws(JSONError) in
        try Pass(member)
      })
  }
}

extension Pass {
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
  /// Reads an object whose keys and members each have one form.
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
