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
