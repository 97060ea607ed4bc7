internal import Linux

/// A type of values for an option or an operand.
package protocol ArgumentValue: Sendable {
  /// The value's name in the help, such as `DURATION`.
  static var placeholder: String { get }

  /// The accepted values, for the help and for error messages: `a duration such as 90s or 2h`.
  static var expectation: String { get }

  /// The completions for a shell.
  static var completion: Completion { get }

  /// Whether values are numbers with a unit, which users may type as two words.
  static var hasUnit: Bool { get }

  /// Returns the values that an invalid text may stand for, the likeliest first.
  static func corrections(of text: String) -> [String]

  /// Returns advice on an invalid text that has no correction, or nil if there is no advice.
  static func advice(on text: String) -> String?

  /// Reads the text as typed. Opens no file and looks up no name.
  init(argument: String) throws(ValueError)
}

extension ArgumentValue {
  /// No completions by default.
  package static var completion: Completion { .nothing }

  /// False by default.
  package static var hasUnit: Bool { false }

  /// Returns the corrections of a number by default.
  package static func corrections(of text: String) -> [String] { Misspelling.numbers(text) }

  /// No advice by default.
  package static func advice(on text: String) -> String? { nil }
}

/// The completions of a value for a shell.
package enum Completion: Hashable, Sendable {
  case nothing
  case files
  case words([String])
  /// Names that exist when the shell asks.
  case names(NameKind)
  /// Existing names, after a new name and an equals sign.
  case namesAfterEquals(NameKind)
  /// The words of commands, and the topics of the help.
  case commands
  /// The values of the setting that the previous operand names.
  case valueOfSetting
  /// The tracks of the take or of the recording that an operand names.
  case tracks
}

/// A completion for the word at the cursor of a shell.
package struct Candidate: Hashable, Sendable {
  let text: String
  /// The meaning in a few words; empty if there is none.
  var meaning = ""
}

/// The kinds of names that completion looks up.
package enum NameKind: Hashable, Sendable {
  case sessions
  case devices
  /// Sounds of the library, takes, and paths of files.
  case sounds
  /// Sounds of the library.
  case librarySounds
  /// The user's own sounds.
  case ownSounds
  /// Sounds of the player.
  case playedSounds
  /// Sounds of the player and of the library, and paths of files.
  case controlledSounds
  /// Takes, and paths of files.
  case filesAndTakes
  /// Programs with their own stored decision, by the names of their clients.
  case clients
  /// Programs that record through PipeWire.
  case programs
  case settings

  /// Returns whether a text of this kind may also be the beginning of a path.
  func mayBeFile(_ text: String) -> Bool {
    switch self {
    case .filesAndTakes: !text.begins(with: "@")
    case .sounds, .controlledSounds, .programs:
      text.holds("/") || text.begins(with: ".") || text.begins(with: "~")
    default: false
    }
  }
}

/// The reason why a text is not a valid value.
package enum ValueError: Error, Hashable, Sendable {
  /// The text has none of the accepted forms.
  case malformed
  /// The value is too small or too large; the text states the limits.
  case outOfRange(String)
}

/// A value that is one of a few words. An enumeration of strings conforms without further code.
package protocol WordValue: ArgumentValue, CaseIterable {
  /// The word for the value.
  var word: String { get }
}

extension WordValue where Self: RawRepresentable<String> {
  /// The raw value.
  package var word: String { rawValue }
}

extension WordValue {
  /// All words.
  package static var completion: Completion { .words(allCases.map(\.word)) }

  /// The words as a list for a sentence: `capture or playback`, `16, 24, 32 or float`.
  package static var expectation: String { alternatives(allCases.map(\.word)) }

  /// Returns the nearest words. Returns no words for a number, because a user who types a number
  /// does not mean another number.
  package static func corrections(of text: String) -> [String] {
    let small = text.lowercased()
    guard small.contains(where: \.isLetter) else { return [] }
    return nearestNames(to: small, among: allCases.map(\.word))
  }

  /// Reads one of the words, in upper or lower case. Throws for any other text.
  package init(argument: String) throws(ValueError) {
    let word = argument.lowercased()
    guard let known = Self.allCases.first(where: { $0.word == word }) else { throw .malformed }
    self = known
  }
}

/// Joins words to a list for a sentence: `a`, `a or b`, `a, b or c`.
package func alternatives(_ words: [String], _ conjunction: String = "or") -> String {
  PrintableText.list(words, conjunction)
}
