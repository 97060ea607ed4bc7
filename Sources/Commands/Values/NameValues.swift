package import Control
package import Permission

extension SessionName: ArgumentValue {
  /// The placeholder for the name of a session in the help.
  package static var placeholder: String { "NAME" }
  /// The accepted values, for the help and for error messages.
  package static var expectation: String {
    "a name of at most 64 characters: a to z, A to Z, 0 to 9, dot, underscore and dash"
  }

  /// Completion with the names of running recordings.
  package static var completion: Completion { .names(.sessions) }

  /// Returns the text with plain letters instead of accented letters, and with a dash for each
  /// other invalid character. Characters before the first letter or digit are removed.
  package static func corrections(of text: String) -> [String] {
    let valid = text.map { SessionName("a\($0)") == nil ? plain($0) : String($0) }.joined()
    return [String(valid.drop { !$0.isLetter && !$0.isNumber })]
  }

  /// Returns the letter without its accent, or a dash for any other character.
  private static func plain(_ character: Character) -> String {
    let small = character.lowercased()
    let row = accented.first { $0.with.contains { String($0) == small } }
    guard let letter = row?.without else { return "-" }
    return character.isUppercase ? letter.uppercased() : letter
  }

  /// The letters without an accent, each with its accented forms in Western Europe.
  private static let accented: [(without: String, with: String)] = [
    ("a", "àáâãäå"), ("ae", "æ"), ("c", "ç"), ("e", "èéêë"), ("i", "ìíîï"), ("n", "ñ"),
    ("o", "òóôõöø"), ("oe", "œ"), ("ss", "ß"), ("u", "ùúûü"), ("y", "ýÿ"),
  ]

  /// Reads the name of a session. Throws for an invalid name.
  package init(argument: String) throws(ValueError) {
    guard let name = SessionName(argument) else { throw .malformed }
    self = name
  }
}

extension Client: ArgumentValue {
  /// The placeholder for a client in the help.
  package static var placeholder: String { "CLIENT" }
  /// The accepted values, for the help and for error messages.
  package static var expectation: String { "a name of a to z, 0 to 9, dot, dash and underscore" }

  /// Completion with the names of programs that have their own decision.
  package static var completion: Completion { .names(.clients) }

  /// Returns the text in lower case, with a dash for each invalid character.
  package static func corrections(of text: String) -> [String] {
    [String(text.lowercased().map { Client("a\($0)") == nil ? "-" : $0 })]
  }

  /// Reads the name of a client. Throws `outOfRange` for a name of more than 64 characters.
  package init(argument: String) throws(ValueError) {
    guard let client = Client(argument) else {
      throw argument.utf8.count > 64
        ? .outOfRange("a name has at most 64 characters") : .malformed
    }
    self = client
  }
}

/// A value that is any text except an empty one.
package protocol TextValue: ArgumentValue {
  /// Creates the value of a text that is not empty.
  init(text: String)
}

extension TextValue {
  /// Reads any text. Throws for an empty text.
  package init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    self.init(text: argument)
  }
}

/// The name of a machine, as `status` shows it.
package struct HostLabel: TextValue, Hashable {
  /// The name as typed, never empty.
  package let value: String

  /// The placeholder for a machine in the help.
  package static let placeholder = "HOST"
  /// The accepted values, for the help and for error messages.
  package static let expectation = "the name of a machine"

  /// Creates the value of a text that is not empty.
  package init(text: String) { value = text }
}

/// The name of a device. The device is not looked up before it is opened.
package struct DeviceText: TextValue, Hashable {
  /// The name as typed, never empty.
  package let value: String

  /// The placeholder for a device in the help.
  package static let placeholder = "DEVICE"
  /// The accepted values, for the help and for error messages.
  package static let expectation = "a name that \"recorder devices\" lists"
  /// Completion with the devices that are known without opening a device.
  package static let completion = Completion.names(.devices)

  /// Creates the value of a text that is not empty.
  package init(text: String) { value = text }
}

/// The name of a track of a take.
package struct TrackName: TextValue, Hashable {
  /// The name as typed, never empty.
  package let value: String

  /// The placeholder for a track in the help.
  package static let placeholder = "NAME"
  /// The accepted values, for error messages.
  package static let expectation = Text.expectation
  /// Completion with the tracks of the take or recording that an operand names.
  package static let completion = Completion.tracks

  /// Creates the value of a text that is not empty.
  package init(text: String) { value = text }
}

/// Free text such as a title or a search text.
package struct Text: TextValue, Hashable {
  /// The text as typed, never empty.
  package let value: String

  /// The name of a text in the help. Most operands have a more specific name.
  package static let placeholder = "TEXT"
  /// The accepted values, for error messages.
  package static let expectation = "a text that is not empty"

  /// Creates the value of a text that is not empty.
  package init(text: String) { value = text }
}

/// Free text that may be empty.
package struct AnyText: ArgumentValue, Hashable {
  /// The text as typed.
  package let value: String

  /// The placeholder for a text in the help.
  package static let placeholder = Text.placeholder
  /// The accepted values, for error messages.
  package static let expectation = "a text"

  /// Creates the value of any text.
  package init(argument: String) { value = argument }
}

/// The name of a sound, or the path of its file.
package struct SoundText: TextValue, Hashable {
  /// The name as typed, never empty.
  package let value: String

  /// The placeholder for a sound in the help.
  package static let placeholder = "NAME"
  /// The accepted values, for error messages.
  package static let expectation = Text.expectation
  /// Completion with the names of sounds.
  package static let completion = Completion.names(.sounds)

  /// Creates the value of a text that is not empty.
  package init(text: String) { value = text }
}
