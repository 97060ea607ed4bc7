/// How words stand out on a terminal, or that they do not.
package struct Style: Hashable, Sendable {
  private let isColored: Bool

  /// Words as they are, for pipes, files and tests.
  package static let plain = Style(isColored: false)
  /// With the terminal's own colours.
  package static let colored = Style(isColored: true)

  package func heading(_ text: String) -> String { marked(text, "1") }
  package func good(_ text: String) -> String { marked(text, "32") }
  package func warning(_ text: String) -> String { marked(text, "33") }
  package func bad(_ text: String) -> String { marked(text, "1;31") }

  /// Every sequence that the terminal is to obey; nothing else that it would obey is ever written.
  var marks: [String] { isColored ? ["0", "1", "32", "33", "1;31"].map { "\u{1B}[\($0)m" } : [] }

  private func marked(_ text: String, _ code: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
