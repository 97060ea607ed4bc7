/// A value in a message on the bus.
package indirect enum BusValue: Hashable, Sendable {
  case string(String)
  case unsigned(UInt32)
  case signed(Int32)
  case bool(Bool)
  case byte(UInt8)
  case variant(BusValue)
  /// An array. The first associated value is the signature of each element.
  case array(of: String, [BusValue])
  /// A key and a value of a dictionary. A dictionary is an array of entries.
  case entry(String, BusValue)
  case structure([BusValue])
  /// A value of a type that this program does not use.
  case other

  /// An array of texts.
  package static func strings(_ texts: [String]) -> BusValue {
    .array(of: "s", texts.map(BusValue.string))
  }

  /// The text, or nil if this value is not a text.
  package var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The number, or nil if this value is not an unsigned number.
  package var unsigned: UInt32? { if case .unsigned(let number) = self { number } else { nil } }

  /// The elements, or an empty array if this value is not an array.
  package var elements: [BusValue] { if case .array(_, let values) = self { values } else { [] } }

  /// The type of the value, as a signature of D-Bus.
  var signature: String {
    switch self {
    case .string: "s"
    case .unsigned: "u"
    case .signed: "i"
    case .bool: "b"
    case .byte: "y"
    case .variant, .other: "v"
    case .array(let element, _): "a" + element
    case .entry(_, let value): "{s" + value.signature + "}"
    case .structure(let members): "(" + members.map(\.signature).joined() + ")"
    }
  }
}
