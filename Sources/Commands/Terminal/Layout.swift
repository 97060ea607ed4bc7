internal import Linux

/// The width of the terminal on stdout, or nil if stdout is not a terminal.
package let terminalWidth = Terminal.size(of: StandardStream.output.rawValue)?.columns

/// The width of text in columns.
package let textWidth = layoutWidth(of: terminalWidth)

/// Returns the width of text in a terminal: at least 20 columns and at most 80. Without a terminal
/// it is 80.
private func layoutWidth(of terminal: Int?) -> Int { min(80, max(20, terminal ?? 80)) }

/// Whether the terminal is too narrow for a table of several columns.
package let isNarrow = textWidth < 60

/// Breaks a paragraph at spaces into lines of at most `width`. A longer word or quoted path has its
/// own line. The terminal wraps this line, so that the word can be copied.
package func wrapped(_ paragraph: String, width: Int) -> [String] {
  joined(words(of: paragraph, width: width), by: " ", width: width)
}

/// Splits a paragraph at the spaces where a line may end.
private func words(of paragraph: String, width: Int) -> [String] {
  var words: [String] = []
  var rest = Substring(paragraph).drop { $0 == " " }
  while !rest.isEmpty {
    let word = quotation(in: rest, width: width) ?? rest.prefix { $0 != " " }
    words.append(String(word))
    rest = rest[word.endIndex...].drop { $0 == " " }
  }
  return words
}

/// Returns the quoted text at the beginning of `text` if it must not be broken: a path, or a quoted
/// text that fits into a line. The punctuation around the quoted text is included.
private func quotation(in text: Substring, width: Int) -> Substring? {
  let quoted = text.drop { $0 == "(" }
  guard quoted.first == "\"", let close = quoted.dropFirst().firstIndex(of: "\"") else {
    return nil
  }
  let word = text[..<(text[close...].firstIndex(of: " ") ?? text.endIndex)]
  let isPath = quoted.dropFirst().first == "/"
  return isPath || columns(of: String(word)) <= width ? word : nil
}

/// Joins texts into lines of at most `width`. A longer text has its own line.
func joined(_ texts: [String], by separator: String, width: Int) -> [String] {
  var lines: [String] = []
  for text in texts {
    if let last = lines.last, columns(of: last + separator + text) <= width {
      lines[lines.count - 1] = last + separator + text
    } else {
      lines.append(text)
    }
  }
  return lines
}

/// Breaks lines at spaces if they are too wide for a terminal. The new lines have the same
/// indentation.
package func fitted(_ page: String, width: Int) -> String {
  page.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    let line = String(line)
    guard columns(of: line) > width else { return line }
    let margin = String(line.prefix { $0 == " " })
    return wrapped(line, width: max(1, width - margin.utf8.count))
      .map { margin + $0 }.joined(separator: "\n")
  }.joined(separator: "\n")
}

/// Returns the lines of a paragraph, each with a newline.
package func paragraph(_ text: String) -> String {
  wrapped(text, width: textWidth).map { $0 + "\n" }.joined()
}

/// A term with its meaning, for a list in two columns.
package typealias Row = (term: String, meaning: String)

/// Formats terms on the left and meanings on the right, each row as a `labelled` text.
///
/// - Parameter column: the column of the meanings. By default it is as far left as the terms allow.
///   It is never to the right of the middle of the line.
package func definitions(
  _ rows: [Row], widest: Int = 26, column: Int? = nil, terminal: Int? = terminalWidth
) -> String {
  let fitting = rows.map { columns(of: $0.term) }.filter { $0 <= widest }
  let column = min(column ?? (fitting.max() ?? widest) + 4, layoutWidth(of: terminal) / 2)
  return rows.map { labelled("  " + $0.term, $0.meaning, column: column, terminal: terminal) }
    .joined()
}

/// Formats a text that begins at `column`, after its head. If the head is too wide, the text begins
/// on the next line. If the text has a path or another word that does not fit between `column` and
/// the edge of the terminal, the text also begins on the next line, but is indented by only two
/// columns more than the head. Then the path is in one line if possible.
func labelled(
  _ head: String, _ text: String, column: Int, terminal: Int? = terminalWidth
) -> String {
  let width = layoutWidth(of: terminal)
  let room = terminal.map { $0 - column } ?? .max
  let isWide = words(of: text, width: width - column).contains { columns(of: $0) > room }
  if columns(of: head) + 2 <= column, !isWide {
    return hanging(padded(head, to: column), text, width: width)
  }
  let margin = isWide ? head.prefix { $0 == " " }.count + 2 : column
  return head + "\n" + (text.isEmpty ? "" : hanging(padded("", to: margin), text, width: width))
}

/// Formats the name of a recording and its state in one line, or on two lines if a terminal is too
/// narrow for one line.
func stateHeading(_ name: String, _ state: String, terminal: Int? = terminalWidth) -> String {
  let line = "\(printable(name)): \(state)"
  guard let terminal, columns(of: line) > terminal else { return line }
  return "\(printable(name))\n  \(state)"
}

/// Returns a text without the spaces at its end.
func trimmed(_ text: some BidirectionalCollection<Character>) -> String {
  String(text.reversed().drop { $0 == " " }.reversed())
}

/// Formats a text after its head. Further lines of the text have the same indentation.
func hanging(_ head: String, _ text: String, width: Int = textWidth) -> String {
  guard !text.isEmpty else { return trimmed(head) + "\n" }
  let column = columns(of: head)
  let lines = wrapped(text, width: width - column)
  return head + lines.joined(separator: "\n" + padded("", to: column)) + "\n"
}

/// Returns the text with trailing spaces up to a width in columns.
package func padded(_ text: String, to width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - columns(of: text)))
}

/// Returns the text as a cell of a table: padded to a width, with at least two spaces after the
/// text.
package func cell(_ text: String, width: Int) -> String {
  padded(text, to: max(width, columns(of: text) + 2))
}

/// Returns the number of terminal columns of a text. Chinese, Japanese, Korean and emoji characters
/// need two columns each. The escape sequences of a style need none.
package func columns(of text: String) -> Int {
  if text.utf8.allSatisfy({ $0 < 0x80 && $0 != 0x1B }) { return text.utf8.count }
  var isMark = false
  return text.reduce(0) { sum, character in
    isMark = isMark || character == "\u{1B}"
    defer { if character == "m" { isMark = false } }
    return isMark ? sum : sum + columns(of: character)
  }
}

/// The part of a text that an ellipsis replaces.
package enum Cut: Sendable {
  case front, middle, end

  /// Returns the number of columns before the ellipsis, if the text has `room` columns in total.
  fileprivate func beginning(_ room: Int) -> Int {
    switch self {
    case .front: 0
    case .middle: room / 3
    case .end: room
    }
  }
}

/// Returns the text, shortened with an ellipsis if it is wider than `width`.
package func shortened(_ text: String, to width: Int, cutting cut: Cut = .end) -> String {
  guard columns(of: text) > width else { return text }
  let room = max(0, width - 1)
  let beginning = fitting(text, to: cut.beginning(room))
  guard cut != .end else { return beginning + "…" }
  let end = fitting(text.reversed(), to: room - columns(of: beginning))
  return beginning + "…" + String(end.reversed())
}

/// Returns the first characters of a text that fit into `width`.
private func fitting(_ text: some Sequence<Character>, to width: Int) -> String {
  var left = width
  return String(
    text.prefix { character in
      left -= columns(of: character)
      return left >= 0
    })
}

private func columns(of character: Character) -> Int {
  guard let base = character.unicodeScalars.first else { return 0 }
  let isPicture = base.properties.isEmojiPresentation
  return isPicture || wideScalars.contains { $0.contains(base.value) } ? 2 : 1
}

/// The blocks of wide or full-width characters in Unicode's EastAsianWidth.txt.
private let wideScalars: [ClosedRange<UInt32>] = [
  0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
  0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
  0x1B000...0x1B2FF, 0x20000...0x3FFFD,
]
