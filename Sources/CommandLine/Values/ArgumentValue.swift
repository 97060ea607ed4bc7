internal import Linux

/// A type for the values of an option or an operand.
package protocol ArgumentValue: Sendable {
  /// The value's name in the help, such as `DURATION`.
  static var placeholder: String { get }

  /// The accepted values in the help and in errors: `a duration such as 90s or 2h`.
  static var expectation: String { get }

  /// The completions that a shell can offer.
  static var completion: Completion { get }

  /// True for a number with a unit, which users may type as two words.
  static var hasUnit: Bool { get }

  /// The values that an invalid text may stand for, the likeliest first.
  static func corrections(of text: String) -> [String]

  /// Reads the text as typed; opens and looks up nothing.
  init(argument: String) throws(ValueError)
}

extension ArgumentValue {
  /// By default no completions.
  package static var completion: Completion { .nothing }

  /// By default false.
  package static var hasUnit: Bool { false }

  /// By default the corrections of a number.
  package static func corrections(of text: String) -> [String] { Misspelling.numbers(text) }
}

/// The completions that a shell can offer for a value.
package enum Completion: Hashable, Sendable {
  case nothing
  case files
  case words([String])
  /// Names that exist when the shell asks.
  case names(NameKind)
  /// The words of commands, and the topics of the help.
  case commands
  /// The values of the setting that the operand before it names.
  case valueOfSetting
}

/// A word that can stand at the cursor of a shell.
package struct Candidate: Hashable, Sendable {
  let text: String
  /// The meaning in a few words; empty for none.
  var meaning = ""
}

/// The kinds of names that completion looks up.
package enum NameKind: Hashable, Sendable {
  case sessions
  case devices
  case sounds
  case takes
  /// Paths of files, and takes.
  case filesAndTakes
  /// Programs with microphone access of their own.
  case clients
  case settings

  /// True where a text of the kind may also begin the path of a file.
  func mayBeFile(_ text: String) -> Bool {
    switch self {
    case .filesAndTakes: !text.begins(with: "@")
    case .sounds: text.holds("/") || text.begins(with: ".") || text.begins(with: "~")
    default: false
    }
  }
}

/// The reason that a text is not a valid value.
package enum ValueError: Error, Hashable, Sendable {
  /// The text has none of the accepted forms.
  case malformed
  /// The value is too small or too large; the text states the limits.
  case outOfRange(String)
}

/// A value that is one of a few words; an enumeration of strings conforms without further code.
package protocol WordValue: ArgumentValue, CaseIterable, RawRepresentable<String> {}

extension WordValue {
  /// All words of the enumeration.
  package static var completion: Completion { .words(allCases.map(\.rawValue)) }

  /// The words as a sentence lists them: `capture or playback`, `16, 24, 32 or float`.
  package static var expectation: String { alternatives(allCases.map(\.rawValue)) }

  /// Tries the nearest words, unless the text is a number: no other number could be meant.
  package static func corrections(of text: String) -> [String] {
    let small = text.lowercased()
    guard small.contains(where: \.isLetter) else { return [] }
    return nearestNames(to: small, among: allCases.map(\.rawValue))
  }

  /// Reads one of the words, in letters of either case; throws for any other text.
  package init(argument: String) throws(ValueError) {
    guard let known = Self(rawValue: argument.lowercased()) else { throw .malformed }
    self = known
  }
}

/// Joins words as in a sentence: `a`, `a or b`, `a, b or c`.
package func alternatives(_ words: [String], _ conjunction: String = "or") -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
}
