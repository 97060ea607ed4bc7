package import Control

extension SessionName: ArgumentValue {
  /// The name of a session's name in the help.
  package static var placeholder: String { "NAME" }
  /// Shown in the help and for an invalid name.
  package static var expectation: String {
    "a name of at most 64 letters, digits, dots, underscores and dashes"
  }

  /// Tries the text with a dash for each invalid character.
  package static func corrections(of text: String) -> [String] {
    [String(text.map { SessionName("a\($0)") == nil ? "-" : $0 })]
  }

  /// Reads a session's name; throws for an invalid one.
  package init(argument: String) throws(ValueError) {
    guard let name = SessionName(argument) else { throw .malformed }
    self = name
  }
}
