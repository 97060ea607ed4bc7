internal import Linux

/// The style of text on a terminal, colored or plain.
package struct Style: Hashable, Sendable {
  private let isColored: Bool

  /// The style without escape sequences, for pipes, files and tests.
  package static let plain = Style(isColored: false)
  /// The style with the colors of the terminal.
  package static let colored = Style(isColored: true)

  /// Returns the text in bold, for headings.
  package func heading(_ text: String) -> String { marked(text, "1") }
  /// Returns the text in green, for a good state.
  package func good(_ text: String) -> String { marked(text, "32") }
  /// Returns the text in yellow, for a warning.
  package func warning(_ text: String) -> String { marked(text, "33") }
  /// Returns the text in bold red, for an error.
  package func bad(_ text: String) -> String { marked(text, "1;31") }

  /// The only escape sequences that text for a terminal may contain. All others are escaped.
  var marks: [String] { isColored ? ["0", "1", "32", "33", "1;31"].map { "\u{1B}[\($0)m" } : [] }

  private func marked(_ text: String, _ code: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

/// The control sequences for lines and pages that are updated. A dumb terminal gets none.
package struct Drawing: Sendable {
  /// Whether the terminal accepts no escape sequences, like a terminal in an editor.
  let isDumb: Bool

  /// Creates the drawing for a terminal. `current` is the drawing for this process's terminal.
  package init(isDumb: Bool) { self.isDumb = isDumb }

  /// The drawing for this process's terminal.
  package static var current: Drawing {
    Drawing(isDumb: Environment.value(of: "TERM") == "dumb")
  }

  /// Returns the text that replaces the last line, which was at most `width` wide.
  package func line(_ text: String, width: Int) -> String {
    "\r" + (isDumb ? padded(text, to: width) : text + "\u{1B}[K")
  }

  /// Returns the text that clears the last line.
  package func noLine(width: Int) -> String {
    isDumb ? "\r" + padded("", to: width) + "\r" : "\r\u{1B}[K"
  }

  /// Returns the text that replaces the last block and moves the cursor to its beginning. It is not
  /// for a dumb terminal.
  package func block(_ lines: [String]) -> String {
    let text = lines.joined(separator: "\u{1B}[K\r\n")
    let back = lines.count > 1 ? "\u{1B}[\(lines.count - 1)A" : ""
    return "\r" + unwrapped(text) + "\u{1B}[J\(back)\r"
  }

  /// Returns the text with sequences that make the terminal cut its lines at the right edge. The
  /// window may become narrower before this process notices. Wrapped lines would then use more rows
  /// than the next text replaces.
  private func unwrapped(_ text: String) -> String { "\u{1B}[?7l\(text)\u{1B}[?7h" }

  /// The text that clears the last block, which begins at the cursor.
  package var noBlock: String { "\r\u{1B}[J" }

  /// Returns the text that replaces the last page. On a dumb terminal, the page is below the last
  /// page.
  func page(_ lines: [String]) -> String {
    if isDumb { return lines.map { $0 + "\n" }.joined() + "\n" }
    // Each line is replaced, and the page is not cleared first, because that would flicker.
    return "\u{1B}[H" + unwrapped(lines.map { $0 + "\u{1B}[K\r\n" }.joined()) + "\u{1B}[J"
  }
}
