/// Members in the order in which they were put in, each key once.
///
/// A lookup walks through them: our objects are small, and their order is worth more.
package struct JSONObject: Hashable, Sendable {
  /// One key and its value.
  package struct Member: Hashable, Sendable {
    package let key: String
    package var value: JSONValue
  }

  package private(set) var members: [Member] = []

  /// An object with no members.
  package init() {}

  /// An object with these members; a later one replaces an earlier of the same key.
  package init(_ members: [(String, JSONValue)]) {
    for (key, value) in members { self[key] = value }
  }

  // Jansson has rejected duplicates already, and looking for them again would be quadratic.
  init(distinct members: [Member]) { self.members = members }

  package var isEmpty: Bool { members.isEmpty }
  package var keys: [String] { members.map(\.key) }

  /// The member's value; setting one keeps its place, a new one comes last, and nil removes it.
  package subscript(key: String) -> JSONValue? {
    get { members.first { $0.key == key }?.value }
    set {
      let place = members.firstIndex { $0.key == key }
      switch (place, newValue) {
      case (let place?, let value?): members[place].value = value
      case (let place?, nil): members.remove(at: place)
      case (nil, let value?): members.append(Member(key: key, value: value))
      case (nil, nil): break
      }
    }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

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
