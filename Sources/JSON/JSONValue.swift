/// Any value of JSON.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number written without point and exponent.
  case integer(Int64)
  /// Any other number; one that is not finite is written as null.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue {
  /// The object; nil for any other kind.
  package var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

  /// The elements of an array; nil for any other kind.
  package var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }

  /// The text of a string; nil for any other kind.
  package var string: String? { if case .string(let string) = self { string } else { nil } }

  /// The value of a boolean; nil for any other kind.
  package var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }

  /// The value of an integer; nil for any other kind.
  package var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }

  /// The value of a number or an integer; nil for any other kind.
  package var number: Double? {
    switch self {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    default: nil
    }
  }

  /// The member of an object; nil where there is none, or this is no object.
  package subscript(key: String) -> JSONValue? { object?[key] }

  /// The element of an array; nil where there is none, or this is no array.
  package subscript(index: Int) -> JSONValue? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }

  /// The kind of the value, as a message names it.
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
  /// A JSON number that is kept as a `Double`.
  package init(floatLiteral value: Double) { self = .number(value) }
  /// JSON's null.
  package init(nilLiteral: ()) { self = .null }
  /// A JSON array of these values.
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// A JSON object of these members in their order.
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements))
  }
}

/// Numbers from files and sockets, whose writer may be anybody.
///
/// Each is taken through here before anything is calculated with it, with bounds within which
/// nothing overflows.
extension JSONValue {
  /// The number, where it is an integer within bounds.
  package func integer(in bounds: ClosedRange<Int64>) -> Int64? {
    integer.flatMap { bounds.contains($0) ? $0 : nil }
  }

  /// The same as another type of integer, which holds all of the bounds.
  package func integer<Value: FixedWidthInteger>(in bounds: ClosedRange<Value>) -> Value? {
    integer.flatMap(Value.init(exactly:)).flatMap { bounds.contains($0) ? $0 : nil }
  }

  /// The number of either kind, where it is within bounds.
  package func number(in bounds: ClosedRange<Double>) -> Double? {
    number.flatMap { bounds.contains($0) ? $0 : nil }
  }
}

/// Bounds of numbers from outside. A double holds each exactly, and a sum of hundreds does not overflow.
extension ClosedRange<Int> {
  /// Numbers of things.
  package static var counts: Self { 0...(1 << 53 - 1) }
  /// Positions in a sequence that begins with 1.
  package static var ordinals: Self { 1...(1 << 53 - 1) }
}

/// The same bounds for another type.
extension ClosedRange<Int64> {
  /// Numbers of bytes.
  package static var sizes: Self { 0...(1 << 53 - 1) }
}

/// Members in the order in which they were put in, each key once.
///
/// A lookup searches them one by one: our objects are small, and their order is worth more.
package struct JSONObject: Hashable, Sendable {
  /// One key and its value.
  package struct Member: Hashable, Sendable {
    /// The key, which no other member of the object has.
    package let key: String
    /// The value under the key; null is a value too.
    package var value: JSONValue
  }

  /// Every member, in order.
  package private(set) var members: [Member] = []

  /// An object with no members.
  package init() {}

  /// An object with these members; a later one replaces an earlier of the same key.
  package init(_ members: [(String, JSONValue)]) {
    for (key, value) in members { self[key] = value }
  }

  // Jansson has rejected duplicates already, and looking for them again would be quadratic.
  init(distinct members: [Member]) { self.members = members }

  /// True where it has no members.
  package var isEmpty: Bool { members.isEmpty }
  /// Every key, in order.
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
  /// An object of these members in their order.
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

/// A flaw of a text that should be JSON, or of a value that should have a certain shape.
package enum JSONError: Error, Hashable, Sendable {
  /// The place at which the text stops being JSON, and jansson's message, which may quote the text;
  /// escaped for a terminal.
  case syntax(line: Int, column: Int, words: String)
  /// More bytes than allowed.
  case tooLarge(limit: Int)
  /// More arrays and objects within each other than allowed.
  case tooDeep(limit: Int)
  /// An object lacks a member.
  case missing(key: String)
  /// An object has a member that is not known.
  case unknown(key: String)
  /// A member is of another kind, or out of range.
  case unfit(key: String, found: String, expected: String)
}

extension JSONError: CustomStringConvertible {
  /// The flaw in one line without a capital or a period, which can be shown anywhere: a key may be
  /// somebody else's, and hold a line end.
  package var description: String {
    switch self {
    case .syntax(let line, let column, let words): "line \(line), column \(column): \(words)"
    case .tooLarge(let limit): "more than \(limit) bytes"
    case .tooDeep(let limit): "more than \(limit) levels deep"
    case .missing(let key): "\(Self.quoted(key)) is missing"
    case .unknown(let key): "\(Self.quoted(key)) is unknown"
    case .unfit(let key, let found, let expected):
      "\(Self.quoted(key)) is \(found) and no \(expected)"
    }
  }

  private static func quoted(_ key: String) -> String { JSONValue.string(key).encoded() }
}
