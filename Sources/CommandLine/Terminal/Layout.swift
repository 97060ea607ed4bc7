internal import Linux

/// The width of text in columns: that of the terminal of stdout, at most 80; below 20 it has no use.
package let textWidth = min(
  80, max(20, Terminal.size(of: StandardStream.output.rawValue)?.columns ?? 80))

/// True for a terminal in which a table of several columns has too little room.
package let isNarrow = textWidth < 60

/// Breaks a paragraph at spaces into lines of at most `width`; a longer word has its own line.
package func wrapped(_ paragraph: String, width: Int) -> [String] {
  var lines: [String] = []
  for word in paragraph.split(separator: " ") {
    if let last = lines.last, columns(of: last) + 1 + columns(of: String(word)) <= width {
      lines[lines.count - 1] = last + " " + word
    } else {
      lines.append(String(word))
    }
  }
  return lines
}

/// The lines of a paragraph, each with a newline.
package func paragraph(_ text: String) -> String {
  wrapped(text, width: textWidth).map { $0 + "\n" }.joined()
}

/// Terms on the left, meanings on the right; a term that is too wide has its meaning on the next
/// line.
///
/// - Parameter column: the column of the meanings, by default as far left as the terms allow; at most
///   the middle of the line.
package func definitions(
  _ rows: [(term: String, meaning: String)], widest: Int = 26, column: Int? = nil
) -> String {
  let fitting = rows.map { columns(of: $0.term) }.filter { $0 <= widest }
  let column = min(column ?? (fitting.max() ?? widest) + 4, textWidth / 2)
  return rows.map { row in definition(row.term, row.meaning, column: column) }.joined()
}

private func definition(_ term: String, _ meaning: String, column: Int) -> String {
  let lines = wrapped(meaning, width: textWidth - column)
  let margin = String(repeating: " ", count: column)
  let first = "  " + term
  guard columns(of: first) + 2 <= column else {
    return ([first] + lines.map { margin + $0 }).map { $0 + "\n" }.joined()
  }
  let head = padded(first, to: column) + (lines.first ?? "")
  return ([head] + lines.dropFirst().map { margin + $0 }).map { $0 + "\n" }.joined()
}

/// The text with trailing spaces up to a width in columns.
package func padded(_ text: String, to width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - columns(of: text)))
}

/// The text as a cell of a table: padded to a width, and never without two spaces behind it.
package func cell(_ text: String, width: Int) -> String {
  padded(text, to: max(width, columns(of: text) + 2))
}

/// The number of terminal columns of a text; Chinese, Japanese, Korean and emoji characters take
/// two each.
package func columns(of text: String) -> Int {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
  return text.reduce(0) { $0 + columns(of: $1) }
}

/// The text, or its beginning with an ellipsis if it is wider than `width`.
package func shortened(_ text: String, to width: Int) -> String {
  guard columns(of: text) > width else { return text }
  var left = max(0, width - 1)
  let beginning = text.prefix { character in
    left -= columns(of: character)
    return left >= 0
  }
  return beginning + "…"
}

private func columns(of character: Character) -> Int {
  guard let base = character.unicodeScalars.first else { return 0 }
  let isPicture = base.properties.isEmojiPresentation
  return isPicture || wideScalars.contains { $0.contains(base.value) } ? 2 : 1
}

/// The blocks of Unicode's EastAsianWidth.txt that are wide or full-width.
private let wideScalars: [ClosedRange<UInt32>] = [
  0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
  0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
  0x1B000...0x1B2FF, 0x20000...0x3FFFD,
]
