package import Control

extension SessionName: ArgumentValue {
  package static var placeholder: String { "NAME" }
  package static var expectation: String {
    "a name of at most 64 letters, digits, dots, underscores and dashes"
  }

  package static func corrections(of text: String) -> [String] {
    [String(text.map { SessionName("a\($0)") == nil ? "-" : $0 })]
  }

  package init(argument: String) throws(ValueError) {
    guard let name = SessionName(argument) else { throw .malformed }
    self = name
  }
}
