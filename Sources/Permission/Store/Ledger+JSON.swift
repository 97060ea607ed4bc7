internal import Digest
internal import JSON

extension Ledger {
  /// The bytes of the file: a line with the checksum of all that follows, then the JSON.
  package var encoded: [UInt8] {
    let body = Array((json.encoded() + "\n").utf8)
    return Array("sha256 \(SHA256(of: body).hexadecimal)\n".utf8) + body
  }

  /// Reads exactly what `encoded` makes; anything else is refused.
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
    return [
      "version": 1, "generation": generation.json, "uid": binding.user.json,
      "machine": binding.machine.json,
      "microphone": .object(JSONObject(clients.map { ($0.key.name, $0.value.json) })),
    ]
  }

  private init(_ json: JSONValue) throws(JSONError) {
    let object = try JSONObject.required(json, "the store")
    try object.requireOnly("version", "generation", "uid", "machine", "microphone")
    guard try object.value("version", as: Int.self) == 1 else { throw .unknown(key: "version") }
    let machine: String = try object.value("machine")
    let binding = Binding(user: try object.value("uid"), machine: machine)
    var records: [Client: Record] = [:]
    for member in try object.value("microphone", as: JSONObject.self).members {
      guard let client = Client(member.key) else { throw .unknown(key: member.key) }
      records[client] = try Record(JSONObject.required(member.value, member.key))
    }
    self.init(generation: try object.value("generation"), binding: binding, records: records)
  }
}

extension JSONObject {
  fileprivate static func required(_ json: JSONValue, _ name: String) throws(JSONError)
    -> JSONObject
  {
    guard let object = json.object else {
      throw .unfit(key: name, found: "something else", expected: "object")
    }
    return object
  }
}
