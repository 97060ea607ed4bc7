/// How wide text is set, whatever the terminal: the width that everyone has.
package let textWidth = 80

/// Breaks a paragraph at spaces into lines of at most `width`; a longer word stands alone.
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

/// The lines of a paragraph, each with its end.
func paragraph(_ text: String) -> String {
  wrapped(text, width: textWidth).map { $0 + "\n" }.joined()
}

/// Terms on the left, what they mean on the right; a term too wide has its meaning on the next line.
///
/// - Parameter column: where the meanings begin; as far left as the terms allow where it is not given.
package func definitions(
  _ rows: [(term: String, meaning: String)], widest: Int = 26, column: Int? = nil
) -> String {
  let fitting = rows.map { columns(of: $0.term) }.filter { $0 <= widest }
  let column = column ?? (fitting.max() ?? widest) + 4
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

/// The text with spaces behind it up to a width in columns.
package func padded(_ text: String, to width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - columns(of: text)))
}
