internal import JSON

/// A shell that completes what is typed.
enum CompletedShell: String, Choice {
  case bash
  case zsh
  case fish

  static let placeholder = "SHELL"
}

/// What a shell reads to complete `recorder`, made from the table of commands.
struct CompletionScript: Report {
  let shell: CompletedShell
  let table: CommandTable

  func text(_ style: Style) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  var json: JSONObject { ["shell": shell.rawValue.json, "script": text(.plain).json] }

  /// Words with which the names of several commands begin, such as `permission`.
  var families: [String] {
    let words = table.commands.filter { $0.words.count > 1 }.compactMap(\.words.first)
    return words.indices.filter { !words[..<$0].contains(words[$0]) }.map { words[$0] }
  }

  /// The first words of all commands, each once, and what they do.
  var beginnings: [(word: String, summary: String)] {
    var found: [(word: String, summary: String)] = []
    for command in table.commands {
      guard let word = command.words.first, !found.contains(where: { $0.word == word }) else {
        continue
      }
      let isFamily = families.contains(word)
      found.append((word, isFamily ? "Commands of \(word)" : command.summary))
    }
    return found
  }

  /// The second words of a family, and what they do.
  func members(of family: String) -> [(word: String, summary: String)] {
    table.commands.filter { $0.words.first == family }
      .compactMap { command in command.words.dropFirst().first.map { ($0, command.summary) } }
  }
}

extension OptionEntry {
  /// As it may be typed: `--device`, and `-d` where there is one.
  var spellings: [String] { [spelling] + (short.map { ["-\($0)"] } ?? []) }
}

extension Command {
  /// Whether its operands are names of files.
  var takesFiles: Bool { operands.contains { $0.value.completion == .files } }

  /// The words that its operands are chosen from.
  var operandWords: [String] {
    operands.flatMap { operand -> [String] in
      if case .words(let words) = operand.value.completion { words } else { [] }
    }
  }
}

/// Text within the single quotation marks of a shell.
func shellQuoted(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    + "'"
}
