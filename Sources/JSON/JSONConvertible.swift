/// A Swift type that is written as one kind of JSON value.
package protocol JSONConvertible {
  /// Nil where `json` is of another kind, or out of the type's range.
  init?(json: JSONValue)

  /// The value to write.
  var json: JSONValue { get }
}

extension String: JSONConvertible {
  /// Takes a JSON string; nil for any other kind.
  package init?(json: JSONValue) {
    guard let string = json.string else { return nil }
    self = string
  }

  /// A JSON string with this text.
  package var json: JSONValue { .string(self) }
}

extension Bool: JSONConvertible {
  /// Takes `true` or `false`; nil for any other kind.
  package init?(json: JSONValue) {
    guard let bool = json.bool else { return nil }
    self = bool
  }

  /// `true` or `false`.
  package var json: JSONValue { .bool(self) }
}

extension Double: JSONConvertible {
  /// Takes a JSON number, an integer included; nil for any other kind.
  package init?(json: JSONValue) {
    guard let number = json.number else { return nil }
    self = number
  }

  /// A JSON number.
  package var json: JSONValue { .number(self) }
}

extension JSONConvertible where Self: FixedWidthInteger {
  /// Takes an integer that fits into this type; nil otherwise.
  package init?(json: JSONValue) {
    guard let integer = json.integer, let exact = Self(exactly: integer) else { return nil }
    self = exact
  }

  /// The integer itself; one past the range of 64 signed bits is written as its limit.
  package var json: JSONValue { .integer(Int64(clamping: self)) }
}

extension Int: JSONConvertible {}
extension Int32: JSONConvertible {}
extension Int64: JSONConvertible {}
extension UInt32: JSONConvertible {}
extension UInt64: JSONConvertible {}

/// Seconds.
extension Duration: JSONConvertible {
  /// Takes a number of seconds; nil from 10¹² seconds on, either sign, and for any other kind.
  package init?(json: JSONValue) {
    // Past this a duration of seconds would trap on its way into 128 bits.
    guard let seconds = json.number, abs(seconds) < 1e12 else { return nil }
    self = .seconds(seconds)
  }

  /// The number of seconds, fractions included.
  package var json: JSONValue { .number(self / .seconds(1)) }
}

extension Array: JSONConvertible where Element: JSONConvertible {
  /// Takes an array all of whose elements can be read; nil where one cannot.
  package init?(json: JSONValue) {
    guard let array = json.array else { return nil }
    self = []
    reserveCapacity(array.count)
    for value in array {
      guard let element = Element(json: value) else { return nil }
      append(element)
    }
  }

  /// A JSON array of the elements, in order.
  package var json: JSONValue {
    var array: [JSONValue] = []
    array.reserveCapacity(count)
    for element in self { array.append(element.json) }
    return .array(array)
  }
}

extension JSONObject: JSONConvertible {
  /// Takes a JSON object with any members; nil for any other kind.
  package init?(json: JSONValue) {
    guard let object = json.object else { return nil }
    self = object
  }

  /// The object itself, with its members in their order.
  package var json: JSONValue { .object(self) }
}

extension JSONValue: JSONConvertible {
  /// Takes any value; never nil.
  package init?(json: JSONValue) { self = json }

  /// The value itself.
  package var json: JSONValue { self }
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

  /// The member as a value of Swift, or nil where it is missing; throws where it is of another
  /// kind, null too.
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
