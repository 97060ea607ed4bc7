import Foundation

/// A page of the repository with commands for users to type.
struct DocumentPage {
  /// The lines between two fences, without the fences.
  struct Block {
    /// The number of the first line.
    let line: Int
    let language: String
    let lines: [String]

    /// Whether the lines are for a shell.
    var isShell: Bool {
      language == "sh" || language.isEmpty && commands.contains { ShellLine.isOurs($0.words) }
    }
    var commands: [ShellLine] { ShellLine.all(lines, from: line) }
    /// Whether the block shows a terminal. There, a dollar sign precedes each typed line.
    var isTranscript: Bool { lines.first?.hasPrefix("$ ") == true }
  }

  /// A text between backquotes, which may continue on the next line.
  struct Span {
    let line: Int
    let text: String
  }

  /// The path within the repository.
  let name: String
  let blocks: [Block]
  let spans: [Span]

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The pages of the repository, without those of test data.
  static let all: [DocumentPage] = {
    let docs = FileManager.default.subpaths(atPath: root.appending(path: "docs").path) ?? []
    let names =
      ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
      + docs.filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }
    return names.compactMap { try? DocumentPage($0) }
  }()

  init(_ name: String) throws {
    self.name = name
    let text = try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
    var blocks: [Block] = []
    // Blocks become empty lines, so that the other lines keep their numbers.
    var prose: [Substring] = []
    var open: (line: Int, language: String, lines: [String])?
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (place, line) in lines.enumerated() {
      let isFence = line.hasPrefix("```")
      prose.append(isFence || open != nil ? "" : line)
      if let block = open, isFence {
        blocks.append(Block(line: block.line, language: block.language, lines: block.lines))
        open = nil
      } else if isFence {
        open = (place + 2, String(line.dropFirst(3)), [])
      } else {
        open?.lines.append(String(line))
      }
    }
    self.blocks = blocks
    spans = Self.spans(in: prose)
  }

  /// Returns the spans of the lines. A span ends with its paragraph at the latest.
  private static func spans(in lines: [Substring]) -> [Span] {
    var (spans, text, begin, isOpen): ([Span], String, Int, Bool) = ([], "", 0, false)
    for (place, line) in lines.enumerated() {
      if line.isEmpty || line.hasPrefix("|") { isOpen = false }
      for (part, piece) in line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      {
        if part > 0 {
          if isOpen { spans.append(Span(line: begin + 1, text: text)) }
          isOpen.toggle()
          (text, begin) = ("", place)
        }
        if isOpen { text += piece.replacingOccurrences(of: "\\|", with: "|") }
      }
      if isOpen { text += " " }
    }
    return spans
  }
}

/// A simple command of a shell: its words without quotes, redirections and comments.
struct ShellLine {
  let line: Int
  let words: [String]

  /// Returns whether `recorder` is among the words.
  static func isOurs(_ words: [String]) -> Bool { words.contains("recorder") }

  /// The words after `recorder`, or nil if it is not among the words.
  var arguments: [String]? {
    words.firstIndex(of: "recorder").map { Array(words[($0 + 1)...]) }
  }

  /// Returns the commands of a script, without the texts of here-documents (`<<'END'`).
  static func all(_ lines: [String], from first: Int) -> [ShellLine] {
    var (found, joined, ending): ([ShellLine], String, String?) = ([], "", nil)
    for (place, line) in lines.enumerated() {
      if let wanted = ending {
        if line == wanted { ending = nil }
        continue
      }
      joined += line
      if joined.hasSuffix("\\") {
        joined.removeLast()
        continue
      }
      if let mark = joined.range(of: "<<") {
        ending = joined[mark.upperBound...].trimmingCharacters(in: .init(charactersIn: "-'\" "))
      }
      found += commands(joined).map { ShellLine(line: first + place, words: $0) }
      joined = ""
    }
    return found
  }

  /// Returns the simple commands of one line.
  static func commands(_ line: String) -> [[String]] {
    var reader = Reader()
    for character in line { reader.take(character) }
    reader.endCommand()
    return reader.commands
  }

  private struct Reader {
    var commands: [[String]] = []
    private var words: [String] = []
    private var word: String?
    private var quote: Character?
    private var isEscaped = false
    private var isComment = false
    private var isTarget = false

    mutating func take(_ character: Character) {
      if isComment { return }
      if isEscaped {
        isEscaped = false
        word = (word ?? "") + String(character)
      } else if let open = quote {
        if character == open { quote = nil } else { word?.append(character) }
      } else {
        takeUnquoted(character)
      }
    }

    private mutating func takeUnquoted(_ character: Character) {
      switch character {
      case "\\": isEscaped = true
      case "'", "\"":
        quote = character
        word = word ?? ""
      case " ": endWord()
      case "#" where word == nil: isComment = true
      case "<", ">":
        // A number directly before it is a descriptor, which belongs to the redirection.
        if word?.allSatisfy(\.isNumber) == true { word = nil }
        endWord()
        isTarget = true
      case ";", "|", "&", "(", ")": endCommand()
      default: word = (word ?? "") + String(character)
      }
    }

    private mutating func endWord() {
      guard let ended = word else { return }
      word = nil
      if isTarget { isTarget = false } else { words.append(ended) }
    }

    mutating func endCommand() {
      endWord()
      if !words.isEmpty { commands.append(words) }
      words = []
      isTarget = false
    }
  }
}
