package import JSON

/// A fault in the text of a policy, with its position.
package struct PolicyFlaw: Error, Hashable, Sendable {
  /// The kinds of faults. A string value is the key of the member with the fault.
  package enum Kind: Hashable, Sendable {
    /// The text is not JSON, or exceeds its limits.
    case json(JSONError)
    /// The JSON value is not an object.
    case notObject
    /// The file has a version that this program does not know.
    case version(Int)
    case unknownKey(String, known: [String])
    case missingKey(String)
    /// The value has the wrong type or is out of range.
    case value(JSONError)
    /// The value is not one of the known values.
    case choice(String, known: [String])
    case emptyName(String)
    /// A pattern contains a character that has a special meaning in the patterns of other programs.
    case pattern(String)
  }

  /// The fault.
  package let kind: Kind
  /// The line, from 1, or nil for a fault without a position.
  package var line: Int?
  /// The column in bytes, from 1, or nil for a fault without a position.
  package var column: Int?
}

extension PolicyFlaw: CustomStringConvertible {
  /// The fault, as the second part of a sentence that begins with the position. Text from the
  /// policy is not escaped.
  package var description: String {
    switch kind {
    case .json(.syntax(_, _, let words)): words
    case .json(let error), .value(let error): error.description
    case .notObject: "a policy must be a JSON object in braces"
    case .version(let version):
      "version \(version) is not supported; this program supports version 1"
    case .unknownKey(let key, let known):
      "\"\(key)\" is unknown; known keys are \(Self.list(known, ", "))"
    case .missingKey(let key): "\"\(key)\" is missing"
    case .choice(let key, let known): "\"\(key)\" must be \(Self.list(known, " or "))"
    case .emptyName(let key): "\"\(key)\" contains an empty name"
    case .pattern(let key): "\"\(key)\" may contain * and ?, but not [, ] or \\"
    }
  }

  private static func list(_ words: [String], _ separator: String) -> String {
    words.map { "\"\($0)\"" }.joined(separator: separator)
  }
}
