package import Control
package import Permission

extension SessionName: ArgumentValue {
  /// The name of a session's name in the help.
  package static var placeholder: String { "NAME" }
  /// Shown in the help and for an invalid name.
  package static var expectation: String {
    "a name of at most 64 letters, digits, dots, underscores and dashes"
  }

  /// Shells complete the names of recordings that run.
  package static var completion: Completion { .names(.sessions) }

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

extension Client: ArgumentValue {
  /// The name of a client in the help.
  package static var placeholder: String { "CLIENT" }
  /// Shown in the help and for an invalid name.
  package static var expectation: String { "a name of a to z, 0 to 9, dot, dash and underscore" }

  /// Shells complete the names of programs with a decision of their own.
  package static var completion: Completion { .names(.clients) }

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

/// The name of a machine, in the form of `status`.
package struct HostLabel: ArgumentValue, Hashable {
  /// The name as typed, never empty.
  package let value: String

  /// The name of a machine in the help.
  package static let placeholder = "HOST"
  /// Shown in the help and for an empty name.
  package static let expectation = "the name of a machine"

  /// Reads any name; throws for an empty text.
  package init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    self.value = argument
  }
}

/// The name of a device, which is not looked up before the device is opened.
package struct DeviceText: ArgumentValue, Hashable {
  /// The name as typed, never empty.
  package let value: String

  /// The name of a device in the help.
  package static let placeholder = "DEVICE"
  /// Shown in the help and for an empty name.
  package static let expectation = "a name that \"recorder devices\" lists"
  /// Shells complete the devices that are known without opening any.
  package static let completion = Completion.names(.devices)

  /// Reads any name; throws for an empty text.
  package init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    value = argument
  }
}

/// Free text such as a title or a search text.
package struct Text: ArgumentValue, Hashable {
  /// The text as typed, never empty.
  package let value: String

  /// The name of a text in the help; most operands have a better one.
  package static let placeholder = "TEXT"
  /// Shown for an empty text.
  package static let expectation = "a text that is not empty"

  /// Reads any text; throws for an empty one.
  package init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    self.value = argument
  }
}

/// The name of a sound, or the path of its file.
package struct SoundText: ArgumentValue, Hashable {
  /// The name as typed, never empty.
  package let value: String

  /// The name of a sound in the help.
  package static let placeholder = "NAME"
  /// Shown for an empty name.
  package static let expectation = Text.expectation
  /// Shells complete the names of sounds.
  package static let completion = Completion.names(.sounds)

  /// Reads any text; throws for an empty one.
  package init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    value = argument
  }
}
