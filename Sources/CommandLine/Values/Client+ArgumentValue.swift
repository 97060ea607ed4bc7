package import Permission

extension Client: ArgumentValue {
  package static var placeholder: String { "CLIENT" }
  package static var expectation: String { "a name of a to z, 0 to 9, dot, dash and underscore" }

  package static func corrections(of text: String) -> [String] {
    [String(text.lowercased().map { Client("a\($0)") == nil ? "-" : $0 })]
  }

  package init(argument: String) throws(ValueError) {
    guard let client = Client(argument) else {
      throw argument.utf8.count > 64
        ? .outOfRange("a name has at most 64 characters") : .malformed
    }
    self = client
  }
}
