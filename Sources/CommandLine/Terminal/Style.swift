internal import Linux

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

/// The control sequences for lines and pages that are drawn again; a dumb terminal gets none.
package struct Drawing: Sendable {
  /// True if the terminal takes no escape sequences, as one inside an editor.
  let isDumb: Bool

  /// The drawing for a terminal; `current` reads the type of this process's own.
  package init(isDumb: Bool) { self.isDumb = isDumb }

  /// The drawing for this process's terminal.
  package static var current: Drawing {
    Drawing(isDumb: Environment.value(of: "TERM") == "dumb")
  }

  /// Replaces the last line, which was at most `width` wide.
  package func line(_ text: String, width: Int) -> String {
    "\r" + (isDumb ? padded(text, to: width) : text + "\u{1B}[K")
  }

  /// Clears the last line.
  package func noLine(width: Int) -> String {
    isDumb ? "\r" + padded("", to: width) + "\r" : "\r\u{1B}[K"
  }

  /// Replaces the last block; the cursor returns to its beginning. Not for a dumb terminal.
  package func block(_ lines: [String]) -> String {
    let text = lines.joined(separator: "\u{1B}[K\r\n")
    let back = lines.count > 1 ? "\u{1B}[\(lines.count - 1)A" : ""
    return "\r" + unwrapped(text) + "\u{1B}[J\(back)\r"
  }

  /// Lines that are cut at the right edge: a window may have become narrower before this process
  /// knows of it, and lines that wrap would be more rows than are replaced.
  private func unwrapped(_ text: String) -> String { "\u{1B}[?7l\(text)\u{1B}[?7h" }

  /// Clears the last block, from the cursor at its beginning on.
  package var noBlock: String { "\r\u{1B}[J" }

  /// Replaces the last page; a dumb terminal gets the page below the last.
  func page(_ lines: [String]) -> String {
    if isDumb { return lines.map { $0 + "\n" }.joined() + "\n" }
    // Line by line, and not cleared before: a page that is cleared first flickers.
    return "\u{1B}[H" + unwrapped(lines.map { $0 + "\u{1B}[K\r\n" }.joined()) + "\u{1B}[J"
  }
}
