internal import Linux

/// The drawing of moving lines and pages; a terminal that knows no escape sequences gets none.
package struct Drawing: Sendable {
  /// True if the terminal only takes characters, as the one of an editor does.
  let isDumb: Bool

  package init(isDumb: Bool) { self.isDumb = isDumb }

  /// That of this process's terminal.
  package static var current: Drawing {
    Drawing(isDumb: Environment.value(of: "TERM") == "dumb")
  }

  /// A line in place of the one before, which was at most as wide.
  package func line(_ text: String, width: Int) -> String {
    "\r" + (isDumb ? padded(text, to: width) : text + "\u{1B}[K")
  }

  /// Nothing in place of the line.
  package func noLine(width: Int) -> String {
    isDumb ? "\r" + padded("", to: width) + "\r" : "\r\u{1B}[K"
  }

  /// A page in place of the one before, or below it.
  func page(_ text: String) -> String { isDumb ? text + "\n" : "\u{1B}[H\u{1B}[J" + text }
}
