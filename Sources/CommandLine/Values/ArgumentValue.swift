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
}

/// The reason that a text is not a valid value.
package enum ValueError: Error, Hashable, Sendable {
  /// The text has none of the accepted forms.
  case malformed
  /// The value is too small or too large; the text states the limits.
  case outOfRange(String)
}
