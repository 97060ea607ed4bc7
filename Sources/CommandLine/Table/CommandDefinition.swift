/// A type that describes one command; the table holds the types, and asks only the one that was typed.
package protocol CommandDefinition: SendableMetatype {
  /// What is typed after `recorder`: `info`, or two words as in `sound list`.
  static var words: [String] { get }

  /// All that there is to know about it.
  static var command: Command { get }
}

extension CommandDefinition {
  /// The words as one: `sound list`.
  static var name: String { words.joined(separator: " ") }
}
