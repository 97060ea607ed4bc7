internal import JSON

/// The shells with completion scripts.
enum CompletedShell: String, Choice {
  case bash
  case zsh
  case fish

  static let placeholder = "SHELL"
}

/// The completion script of `recorder` for one shell, made from the table of commands.
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

  /// The first words that several commands share, such as `permission`.
  var families: [String] {
    let words = table.commands.filter { $0.words.count > 1 }.compactMap(\.words.first)
    return words.indices.filter { !words[..<$0].contains(words[$0]) }.map { words[$0] }
  }

  /// The first words of all commands, each once, with their summaries.
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

  /// The second words of a family, with their summaries.
  func members(of family: String) -> [(word: String, summary: String)] {
    table.commands.filter { $0.words.first == family }
      .compactMap { command in command.words.dropFirst().first.map { ($0, command.summary) } }
  }
}

extension OptionEntry {
  /// The option's spellings: `--device`, and `-d` if it has a short form.
  var spellings: [String] { [spelling] + (short.map { ["-\($0)"] } ?? []) }
}

extension Command {
  /// True if an operand is the name of a file.
  var takesFiles: Bool { operands.contains { $0.value.completion == .files } }

  /// The words that the operands can be.
  var operandWords: [String] {
    operands.flatMap { operand -> [String] in
      if case .words(let words) = operand.value.completion { words } else { [] }
    }
  }
}

/// The text escaped for the inside of a shell's single quotation marks.
func shellQuoted(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    + "'"
}
