internal import Linux

/// A part of a help page, such as a heading or a paragraph. The pages of the documentation have
/// these parts in Markdown.
enum PageBlock: Sendable {
  case heading(String, level: Int)
  case paragraph(String)
  /// An item of a list. The mark is a dash or a number.
  case item(mark: String, String)
  /// Lines that are not wrapped.
  case code([String])
  /// The rows of a table. The first row has the names of the columns.
  case table([[String]])

  /// Returns the blocks of a page in Markdown, without pictures and comments.
  static func all(in page: String) -> [PageBlock] {
    var groups: [[String]] = [[]]
    var isCode = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      let isFence = line.begins(with: "```")
      if !isCode, isFence || line.isEmpty || line.begins(with: "#") || itemMark(line) != nil {
        groups.append([])
      }
      groups[groups.count - 1].append(line)
      if isFence { isCode.toggle() }
      if !isCode, isFence || line.ends(with: "-->") { groups.append([]) }
    }
    return groups.compactMap(PageBlock.init)
  }

  /// Creates a block from lines of Markdown. Returns nil for empty lines, a picture or a comment.
  private init?(_ lines: [String]) {
    let words = lines.flatMap { $0.split(separator: " ") }
    guard let first = words.first, !first.begins(with: "!["), !first.begins(with: "<!--") else {
      return nil
    }
    let text = Self.plain(words.joined(separator: " "))
    if first.begins(with: "```") {
      self = .code(Array(lines.dropFirst().prefix { !$0.begins(with: "```") }))
    } else if first.begins(with: "|") {
      self = .table(lines.filter { $0.contains { !"|-: ".contains($0) } }.map(Self.cells))
    } else if first.begins(with: "#") {
      self = .heading(String(text.dropFirst(first.count + 1)), level: first.count)
    } else if let mark = Self.itemMark(lines[0]) {
      self = .item(mark: mark, String(text.dropFirst(mark.count + 1)))
    } else {
      self = .paragraph(text)
    }
  }

  /// Returns the mark that begins an item of a list, or nil if the line begins no item.
  private static func itemMark(_ line: String) -> String? {
    guard let word = line.split(separator: " ").first.map(String.init) else { return nil }
    return word == "-" || word.ends(with: ".") && Int(word.dropLast()) != nil ? word : nil
  }

  /// Returns the cells of a table's row. A bar inside of a cell has a backslash before it.
  private static func cells(_ row: String) -> [String] {
    var cells = [""]
    for character in row.dropFirst() {
      let last = cells.count - 1
      if character != "|" {
        cells[last].append(character)
      } else if cells[last].last == "\\" {
        cells[last] = cells[last].dropLast() + "|"
      } else {
        cells.append("")
      }
    }
    return cells.dropLast().enumerated().map { column, cell in
      plain(cell.split(separator: " ").joined(separator: " "), isTerm: column == 0)
    }
  }

  /// Returns a text without links, and without the signs for emphasis and code.
  ///
  /// - Parameter isTerm: whether the text is in the first column of a table. There, code of several
  ///   words is not quoted.
  private static func plain(_ text: String, isTerm: Bool = false) -> String {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
      if index % 2 == 0 { return withoutMarks(part) }
      let isPhrase = part.contains(" ") && !part.contains("\"") && !isTerm
      return isPhrase ? "\"\(part)\"" : String(part)
    }.joined()
  }

  /// Returns a text with the words of each link instead of the link, and without emphasis. An
  /// emphasized name gets quotes.
  private static func withoutMarks(_ text: Substring) -> String {
    var shown: [Character] = []
    var bracket: Int?
    var emphasis: Int?
    var link: (start: Int, target: String)?
    for character in text {
      if let open = link {
        guard character == ")" else {
          link?.target.append(character)
          continue
        }
        let words = linkText(String(shown[open.start...]), to: open.target)
        shown.replaceSubrange(open.start..., with: words)
        link = nil
      } else if character == "(", shown.last == "]", let start = bracket {
        shown.removeLast()
        shown.remove(at: start)
        link = (start: start, target: "")
      } else if character == "*", shown.last == "*" {
        shown.removeLast()
        if let start = emphasis, isName(shown[start...]) {
          shown.insert("\"", at: start)
          shown.append("\"")
        }
        emphasis = emphasis == nil ? shown.count : nil
      } else {
        if character == "[" { bracket = shown.count }
        shown.append(character)
      }
    }
    return String(shown)
  }

  /// Returns the words of a link. If they are the name of a page, returns the command that prints
  /// the page, or a path where the user can find it.
  private static func linkText(_ words: String, to target: String) -> String {
    let file = String(target.prefix { $0 != "#" })
    guard words == file else { return words }
    let (name, ending) = file.nameParts
    if ending == ".md", HelpTopic.pages.contains(name) { return "\"recorder help \(name)\"" }
    let isInstalled = ending == ".md" && !file.contains("/")
    return isInstalled ? "share/recorder/docs/\(file)" : "docs/\(file) in the source code"
  }

  /// Returns whether emphasized text is the name of an object, not a sentence or a title.
  private static func isName(_ text: ArraySlice<Character>) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber }
  }
}

extension PageBlock {
  /// The text of a paragraph, an item or code; nil for a heading or a table.
  var prose: String? {
    switch self {
    case .paragraph(let text), .item(_, let text): text
    case .code(let lines): lines.joined(separator: "\n")
    case .heading, .table: nil
    }
  }

  /// The rows of a table as terms with their meanings. In a table with more than two columns, each
  /// cell after the first is preceded by the name of its column.
  var entries: [Row] {
    guard case .table(let rows) = self, let names = rows.first else { return [] }
    return rows.dropFirst().map { row in
      let cells = zip(names, row).dropFirst().filter { !$1.isEmpty }
      let meaning = cells.map { names.count > 2 ? "\($0): \($1)" : $1 }.joined(separator: "; ")
      return (row[0], meaning)
    }
  }

  /// Formats the block for the width of the terminal.
  private func text(_ style: Style) -> String {
    switch self {
    case .heading(let text, _):
      wrapped(text, width: textWidth).map { style.heading($0) + "\n" }.joined()
    case .paragraph(let text): Commands.paragraph(text)
    case .item(let mark, let text): hanging("  \(mark) ", text)
    case .code(let lines):
      Self.fitted(lines, width: textWidth - 2).map { $0.isEmpty ? "\n" : "  \($0)\n" }.joined()
    case .table(let rows):
      aligned(rows, style)
        ?? definitions(
          entries.map { row in
            (wrapped(row.term, width: textWidth - 2).joined(separator: "\n  "), row.meaning)
          })
    }
  }

  /// Returns lines of code. If a line with a comment is too wide, each comment gets its own lines
  /// above its command. A command may consist of several lines.
  static func fitted(_ lines: [String], width: Int) -> [String] {
    let divided = lines.map(divide)
    let isWide = zip(lines, divided).contains { columns(of: $0) > width && $1.comment != nil }
    guard isWide else { return lines }
    var fitted: [String] = []
    var begin = 0
    for (code, comment) in divided {
      if fitted.last?.ends(with: "\\") != true { begin = fitted.count }
      let words = comment.map { wrapped($0, width: max(1, width - 2)) } ?? []
      fitted.insert(contentsOf: words.map { "# " + $0 }, at: begin)
      fitted.append(code)
    }
    return fitted
  }

  /// Divides a line of code at its comment, which follows several spaces.
  private static func divide(_ line: String) -> (code: String, comment: String?) {
    let bytes = Array(line.utf8)
    let mark = Array("  # ".utf8)
    let start = bytes.indices.last { bytes[$0...].starts(with: mark) }
    guard let start else { return (line, nil) }
    let code = trimmed(String(decoding: bytes[..<start], as: UTF8.self))
    let comment = String(decoding: bytes[(start + mark.count)...], as: UTF8.self)
    return code.isEmpty ? (line, nil) : (code, comment)
  }

  /// Formats a table in columns and wraps the last column. Returns nil if the table has fewer than
  /// three columns, or if the columns before the last need more than half of the width.
  private func aligned(_ rows: [[String]], _ style: Style) -> String? {
    let widths = rows[0].indices.dropLast().map { column in
      rows.map { columns(of: $0[column]) + 2 }.max() ?? 0
    }
    guard widths.count > 1, widths.reduce(2, +) <= textWidth / 2 else { return nil }
    return rows.enumerated().map { index, row in
      let cells = index == 0 ? row.map(style.heading) : row
      return hanging("  " + zip(cells, widths).map(padded).joined(), cells[widths.count])
    }.joined()
  }

  /// Returns whether this block follows the block `last` without an empty line between them.
  private func continues(_ last: PageBlock) -> Bool {
    switch (last, self) {
    case (.heading, .item), (.heading, .code), (.heading, .table), (.item, .item): true
    default: false
    }
  }

  /// Formats blocks below each other.
  static func text(of blocks: [PageBlock], _ style: Style) -> String {
    blocks.enumerated().map { index, block in
      let isFollowing = index == 0 || block.continues(blocks[index - 1])
      return (isFollowing ? "" : "\n") + block.text(style)
    }.joined()
  }
}
