package import JSON
package import Linux

/// The reason that the administrator's policies cannot be trusted; nobody may use the microphone
/// then.
package enum PolicyFault: Error, Hashable, Sendable {
  case directory(DirectoryRefusal)
  case file(String, FileFlaw)
  /// The file was listed and could not be opened by its name.
  case gone(String)
  case contents(String, PolicyFlaw)
}

/// A fault in the text of a policy, with its place.
package struct PolicyFlaw: Error, Hashable, Sendable {
  /// The kinds of faults; a name is the key that is wrong.
  package enum Kind: Hashable, Sendable {
    /// The text is not JSON, or is beyond its limits.
    case json(JSONError)
    /// The value of the whole text is not an object.
    case notObject
    /// The version of the file, which this program does not know.
    case version(Int)
    case unknownKey(String, known: [String])
    case missingKey(String)
    /// The value is of another kind, or out of range.
    case value(JSONError)
    /// The value is none of the known ones.
    case choice(String, known: [String])
    case emptyName(String)
    /// A pattern holds a character that other programs give a meaning.
    case pattern(String)
  }

  /// The fault.
  package let kind: Kind
  /// The line, from 1; nil for a fault without a place.
  package let line: Int?
  /// The column in bytes, from 1; nil for a fault without a place.
  package let column: Int?

  /// A flaw; by default one without a place.
  package init(_ kind: Kind, line: Int? = nil, column: Int? = nil) {
    self.kind = kind
    self.line = line
    self.column = column
  }
}
