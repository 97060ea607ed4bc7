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
