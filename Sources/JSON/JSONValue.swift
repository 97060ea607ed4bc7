/// Any JSON value.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number written without a decimal point or exponent.
  case integer(Int64)
  /// Any other number. Infinity and NaN are written as null.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue {
  /// The object, or nil for any other kind.
  package var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

  /// The elements of an array, or nil for any other kind.
  package var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }

  /// The text of a string, or nil for any other kind.
  package var string: String? { if case .string(let string) = self { string } else { nil } }

  /// The value of a boolean, or nil for any other kind.
  package var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }

  /// The value of an integer, or nil for any other kind.
  package var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }

  /// The value of a number or an integer, or nil for any other kind.
  package var number: Double? {
    switch self {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    default: nil
    }
  }

  /// The member of an object, or nil if the member is missing or this is not an object.
  package subscript(key: String) -> JSONValue? { object?[key] }

  /// The element of an array, or nil if the index is out of range or this is not an array.
  package subscript(index: Int) -> JSONValue? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }

  /// The kind of the value, as used in messages.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer: "an integer"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByNilLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A JSON string.
  package init(stringLiteral value: String) { self = .string(value) }
  /// `true` or `false`.
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A JSON integer.
  package init(integerLiteral value: Int64) { self = .integer(value) }
  /// A JSON number, stored as a `Double`.
  package init(floatLiteral value: Double) { self = .number(value) }
  /// JSON's null.
  package init(nilLiteral: ()) { self = .null }
  /// A JSON array of these values.
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// A JSON object of these members, in this order.
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements))
  }
}

/// Functions for numbers from files and sockets, which any program may have written.
///
/// Check each number with one of these functions before a calculation, so that nothing overflows.
extension JSONValue {
  /// Returns the number, or nil if it is not an integer within the bounds.
  package func integer(in bounds: ClosedRange<Int64>) -> Int64? {
    integer.flatMap { bounds.contains($0) ? $0 : nil }
  }

  /// Returns the number as another integer type, or nil if it is not an integer within the bounds.
  package func integer<Value: FixedWidthInteger>(in bounds: ClosedRange<Value>) -> Value? {
    integer.flatMap(Value.init(exactly:)).flatMap { bounds.contains($0) ? $0 : nil }
  }

  /// Returns the number or integer, or nil if it is not within the bounds.
  package func number(in bounds: ClosedRange<Double>) -> Double? {
    number.flatMap { bounds.contains($0) ? $0 : nil }
  }
}

/// Bounds for numbers from other programs. A `Double` represents each number within these bounds
/// exactly, and a sum of hundreds of such numbers does not overflow.
extension ClosedRange<Int> {
  /// The bounds of a count.
  package static var counts: Self { 0...(1 << 53 - 1) }
  /// The bounds of a position in a sequence that begins with 1.
  package static var ordinals: Self { 1...(1 << 53 - 1) }
}

/// The same bounds for `Int64`.
extension ClosedRange<Int64> {
  /// The bounds of a number of bytes.
  package static var sizes: Self { 0...(1 << 53 - 1) }
}

/// A JSON object. Its members are in the order of insertion, and each key occurs once.
///
/// A lookup is a linear search, because the objects are small and must keep the order of their
/// members.
package struct JSONObject: Hashable, Sendable {
  /// One key and its value.
  package struct Member: Hashable, Sendable {
    /// The key, which is unique in the object.
    package let key: String
    /// The value, which may be null.
    package var value: JSONValue
  }

  /// All members, in order.
  package private(set) var members: [Member] = []

  /// An object with no members.
  package init() {}

  /// Creates an object with these members. A later member replaces an earlier member with the same
  /// key.
  package init(_ members: [(String, JSONValue)]) {
    for (key, value) in members { self[key] = value }
  }

  // jansson has already rejected duplicates. A second check would take quadratic time.
  init(distinct members: [Member]) { self.members = members }

  /// Creates an object with these members in linear time. All keys must be different.
  package init(distinct members: [(String, JSONValue)]) {
    self.members = members.map { Member(key: $0.0, value: $0.1) }
  }

  /// All keys, in order.
  package var keys: [String] { members.map(\.key) }

  /// The value of a member. Setting a value keeps the position of an existing member, or appends a
  /// new member. Setting nil removes the member.
  package subscript(key: String) -> JSONValue? {
    get { members.first { $0.key == key }?.value }
    set {
      let index = members.firstIndex { $0.key == key }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(key: key, value: value))
      case (nil, nil): break
      }
    }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object of these members, in this order.
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

/// An error in a text that should be JSON, or in a value that should have a certain shape.
package enum JSONError: Error, Hashable, Sendable {
  /// The position of a syntax error, and jansson's message. The message may quote the text, so the
  /// message is escaped for a terminal.
  case syntax(line: Int, column: Int, words: String)
  /// The text has more bytes than allowed.
  case tooLarge(limit: Int)
  /// Arrays and objects are nested more deeply than allowed.
  case tooDeep(limit: Int)
  /// An object lacks a member.
  case missing(key: String)
  /// An object has an unknown member.
  case unknown(key: String)
  /// A member is of another kind.
  case unfit(key: String, found: String, expected: String)
  /// The value of a member is out of range, or not among the known values.
  case invalid(key: String)
}

extension JSONError: CustomStringConvertible {
  /// The error on one line, without a capital letter or a period. Keys are escaped, because a key
  /// from another program may contain a line end.
  package var description: String {
    switch self {
    case .syntax(let line, let column, let words): "line \(line), column \(column): \(words)"
    case .tooLarge(let limit): "more than \(limit) bytes"
    case .tooDeep(let limit): "more than \(limit) levels deep"
    case .missing(let key): "\(Self.quoted(key)) is missing"
    case .unknown(let key): "\(Self.quoted(key)) is unknown"
    case .unfit(let key, let found, let expected):
      "\(Self.quoted(key)) is \(found), not \(expected)"
    case .invalid(let key): "\(Self.quoted(key)) has an invalid value"
    }
  }

  private static func quoted(_ key: String) -> String { JSONValue.string(key).encoded() }
}
