package import Permission

extension Client: ArgumentValue {
  /// The name of a client in the help.
  package static var placeholder: String { "CLIENT" }
  /// Shown in the help and for an invalid name.
  package static var expectation: String { "a name of a to z, 0 to 9, dot, dash and underscore" }

  /// Tries the text in lower case, with a dash for each invalid character.
  package static func corrections(of text: String) -> [String] {
    [String(text.lowercased().map { Client("a\($0)") == nil ? "-" : $0 })]
  }

  /// Reads a client's name; throws `outOfRange` for one of more than 64 characters.
  package init(argument: String) throws(ValueError) {
    guard let client = Client(argument) else {
      throw argument.utf8.count > 64
        ? .outOfRange("a name has at most 64 characters") : .malformed
    }
    self = client
  }
}
