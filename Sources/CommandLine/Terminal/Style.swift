/// The style of words on a terminal, colored or plain.
package struct Style: Hashable, Sendable {
  private let isColored: Bool

  /// Without escape sequences, for pipes, files and tests.
  package static let plain = Style(isColored: false)
  /// With the terminal's own colors.
  package static let colored = Style(isColored: true)

  /// The text in bold, for headings.
  package func heading(_ text: String) -> String { marked(text, "1") }
  /// The text in green, for a state that is well.
  package func good(_ text: String) -> String { marked(text, "32") }
  /// The text in yellow, for a warning.
  package func warning(_ text: String) -> String { marked(text, "33") }
  /// The text in bold red, for an error.
  package func bad(_ text: String) -> String { marked(text, "1;31") }

  /// The only escape sequences that text for a terminal may hold; all others are escaped.
  var marks: [String] { isColored ? ["0", "1", "32", "33", "1;31"].map { "\u{1B}[\($0)m" } : [] }

  private func marked(_ text: String, _ code: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
