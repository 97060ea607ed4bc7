internal import Linux

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

  /// Replaces the last page; a dumb terminal gets the page below the last.
  func page(_ text: String) -> String { isDumb ? text + "\n" : "\u{1B}[H\u{1B}[J" + text }
}
