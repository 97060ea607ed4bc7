/// A type that describes one command; the table holds the types and asks only the one that was
/// typed.
package protocol CommandDefinition: SendableMetatype {
  /// The words after `recorder`: `info`, or two as in `sound list`.
  static var words: [String] { get }

  /// The whole description, which is made on demand.
  static var command: Command { get }
}

extension CommandDefinition {
  /// The words joined: `sound list`.
  static var name: String { words.joined(separator: " ") }
}
