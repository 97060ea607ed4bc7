/// A Swift type that is written as one kind of JSON value.
package protocol JSONConvertible {
  /// Reads a JSON value. Returns nil if the value is of another kind or out of the type's range.
  init?(json: JSONValue)

  /// The JSON value to write.
  var json: JSONValue { get }

  /// The kind of the JSON value in the words of `JSONValue.kind`, or nil if values of this type
  /// have no common kind.
  static var jsonKind: String? { get }
}

extension JSONConvertible {
  /// No common kind.
  package static var jsonKind: String? { nil }
}

extension String: JSONConvertible {
  /// Reads a JSON string. Returns nil for any other kind.
  package init?(json: JSONValue) {
    guard let string = json.string else { return nil }
    self = string
  }

  /// A JSON string with this text.
  package var json: JSONValue { .string(self) }

  /// A string.
  package static var jsonKind: String? { JSONValue.string("").kind }
}

extension JSONConvertible where Self: RawRepresentable<String> {
  /// Reads a JSON string with one of the raw values. Returns nil for any other value.
  package init?(json: JSONValue) {
    guard let word = json.string else { return nil }
    self.init(rawValue: word)
  }

  /// A JSON string with the raw value.
  package var json: JSONValue { .string(rawValue) }

  /// A string.
  package static var jsonKind: String? { String.jsonKind }
}

extension Bool: JSONConvertible {
  /// Reads `true` or `false`. Returns nil for any other kind.
  package init?(json: JSONValue) {
    guard let bool = json.bool else { return nil }
    self = bool
  }

  /// `true` or `false`.
  package var json: JSONValue { .bool(self) }

  /// A Boolean value.
  package static var jsonKind: String? { JSONValue.bool(true).kind }
}

extension Double: JSONConvertible {
  /// Reads a JSON number, including an integer. Returns nil for any other kind.
  package init?(json: JSONValue) {
    guard let number = json.number else { return nil }
    self = number
  }

  /// A JSON number.
  package var json: JSONValue { .number(self) }

  /// A number.
  package static var jsonKind: String? { JSONValue.number(0.5).kind }
}

extension JSONConvertible where Self: FixedWidthInteger {
  /// Reads an integer. Returns nil for an integer out of the type's range, and for any other kind.
  package init?(json: JSONValue) {
    guard let integer = json.integer, let exact = Self(exactly: integer) else { return nil }
    self = exact
  }

  /// A JSON integer. A value outside the range of `Int64` is written as the nearest limit.
  package var json: JSONValue { .integer(Int64(clamping: self)) }

  /// An integer.
  package static var jsonKind: String? { JSONValue.integer(0).kind }
}

extension Int: JSONConvertible {}
extension Int32: JSONConvertible {}
extension UInt8: JSONConvertible {}
extension Int64: JSONConvertible {}
extension UInt32: JSONConvertible {}
extension UInt64: JSONConvertible {}

/// A duration as a number of seconds.
extension Duration: JSONConvertible {
  /// Reads a number of seconds. Returns nil for ±10¹² seconds or more, and for any other kind.
  package init?(json: JSONValue) {
    // `Duration.seconds` traps on numbers that are too large for its 128 bits.
    guard let seconds = json.number, abs(seconds) < 1e12 else { return nil }
    self = .seconds(seconds)
  }

  /// The number of seconds, including fractions.
  package var json: JSONValue { .number(self / .seconds(1)) }

  /// A number.
  package static var jsonKind: String? { Double.jsonKind }
}

extension Array: JSONConvertible where Element: JSONConvertible {
  /// Reads an array. Returns nil if an element cannot be read, and for any other kind.
  package init?(json: JSONValue) {
    guard let array = json.array else { return nil }
    self = []
    reserveCapacity(array.count)
    for value in array {
      guard let element = Element(json: value) else { return nil }
      append(element)
    }
  }

  /// An array.
  package static var jsonKind: String? { JSONValue.array([]).kind }

  /// A JSON array of the elements, in order.
  package var json: JSONValue {
    var array: [JSONValue] = []
    array.reserveCapacity(count)
    for element in self { array.append(element.json) }
    return .array(array)
  }
}

extension JSONObject: JSONConvertible {
  /// Reads a JSON object with any members. Returns nil for any other kind.
  package init?(json: JSONValue) {
    guard let object = json.object else { return nil }
    self = object
  }

  /// The object itself, with its members in order.
  package var json: JSONValue { .object(self) }

  /// An object.
  package static var jsonKind: String? { JSONValue.object([:]).kind }
}

extension JSONValue: JSONConvertible {
  /// Accepts any value; never returns nil.
  package init?(json: JSONValue) { self = json }

  /// The value itself.
  package var json: JSONValue { self }
}

extension JSONObject {
  /// Throws `unknown` if the object has a member whose key is not one of `keys`.
  package func requireOnly(_ keys: String...) throws(JSONError) {
    for member in members where !keys.contains(member.key) {
      throw .unknown(key: member.key)
    }
  }

  /// Returns the member as a Swift value. Throws if the member is missing or of another kind.
  package func value<Value: JSONConvertible>(
    _ key: String, as type: Value.Type = Value.self
  ) throws(JSONError) -> Value {
    guard let value = try optional(key, as: type) else { throw .missing(key: key) }
    return value
  }

  /// Returns the member as a Swift value, or nil if it is missing. Throws if it is of another kind,
  /// including null.
  package func optional<Value: JSONConvertible>(
    _ key: String, as type: Value.Type = Value.self
  ) throws(JSONError) -> Value? {
    guard let member = self[key] else { return nil }
    if let value = Value(json: member) { return value }
    // An integer is a number, too.
    let isNumber = Value.jsonKind == Double.jsonKind && member.number != nil
    guard let kind = Value.jsonKind, kind != member.kind, !isNumber else {
      throw .invalid(key: key)
    }
    throw .unfit(key: key, found: member.kind, expected: kind)
  }

  /// Sets a member to a Swift value; nil removes the member.
  package mutating func set(_ key: String, _ value: (some JSONConvertible)?) {
    self[key] = value?.json
  }
}
