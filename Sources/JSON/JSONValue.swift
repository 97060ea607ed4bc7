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
  var kind: String {
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
