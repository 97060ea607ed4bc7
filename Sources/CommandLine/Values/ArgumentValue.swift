/// A type that the value of an option, or an operand, is read into.
package protocol ArgumentValue: Sendable {
  /// What the help calls such a value, such as `DURATION`.
  static var placeholder: String { get }

  /// What is expected, completing "it takes": `a duration such as 90s or 2h`.
  static var expectation: String { get }

  /// What a shell may complete it with.
  static var completion: Completion { get }

  /// True if it is a number with a unit, which people write as two words.
  static var hasUnit: Bool { get }

  /// The values that somebody who typed an invalid text may have meant, the likeliest first.
  static func corrections(of text: String) -> [String]

  /// Reads what was typed; nothing is opened or looked up.
  init(argument: String) throws(ValueError)
}

extension ArgumentValue {
  package static var completion: Completion { .nothing }

  package static var hasUnit: Bool { false }

  package static func corrections(of text: String) -> [String] { Misspelling.numbers(text) }
}

/// What a shell may offer where a value is typed.
package enum Completion: Hashable, Sendable {
  case nothing
  case files
  case words([String])
}

/// Why a text is no value of its kind.
package enum ValueError: Error, Hashable, Sendable {
  /// It is written in no form that the kind knows.
  case malformed
  /// It is well written, but too small or too large; the text says the limits.
  case outOfRange(String)
}
