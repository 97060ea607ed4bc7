extension JSONObject {
  /// Throws `unknown` where it has a member of another key.
  package func requireOnly(_ keys: String...) throws(JSONError) {
    for member in members where !keys.contains(member.key) {
      throw .unknown(key: member.key)
    }
  }

  /// The member as a value of Swift; throws where it is missing or of another kind.
  package func value<Value: JSONConvertible>(
    _ key: String, as type: Value.Type = Value.self
  ) throws(JSONError) -> Value {
    guard let value = try optional(key, as: type) else { throw .missing(key: key) }
    return value
  }

  /// The member as a value of Swift, or nil where it is missing; throws where it is of another kind, null too.
  package func optional<Value: JSONConvertible>(
    _ key: String, as type: Value.Type = Value.self
  ) throws(JSONError) -> Value? {
    guard let member = self[key] else { return nil }
    guard let value = Value(json: member) else {
      throw .unfit(key: key, found: member.kind, expected: "\(type)")
    }
    return value
  }

  /// Puts a value of Swift in, and nothing where it is nil.
  package mutating func set(_ key: String, _ value: (some JSONConvertible)?) {
    self[key] = value?.json
  }
}
