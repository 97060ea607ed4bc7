/// What is wrong with a text that should be JSON, or with a value that should have a certain shape.
package enum JSONError: Error, Hashable, Sendable {
  /// Where it stops being JSON, and jansson's words; they may quote the text, so escape them for a terminal.
  case syntax(line: Int, column: Int, words: String)
  /// More bytes than allowed.
  case tooLarge(limit: Int)
  /// More arrays and objects within each other than allowed.
  case tooDeep(limit: Int)
  /// An object lacks a member.
  case missing(key: String)
  /// An object has a member that nobody knows.
  case unknown(key: String)
  /// A member is of another kind, or out of range.
  case unfit(key: String, found: String, expected: String)
}

extension JSONError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .syntax(let line, let column, let words): "line \(line), column \(column): \(words)"
    case .tooLarge(let limit): "more than \(limit) bytes"
    case .tooDeep(let limit): "more than \(limit) levels deep"
    case .missing(let key): "\"\(key)\" is missing"
    case .unknown(let key): "\"\(key)\" is unknown"
    case .unfit(let key, let found, let expected):
      "\"\(key)\" is \(found) and no \(expected)"
    }
  }
}
