internal import JSON

/// The shells with completion scripts.
enum CompletedShell: String, WordValue {
  case bash
  case zsh
  case fish

  static let placeholder = "SHELL"
}

/// The completion script of `recorder` for one shell, made from the table of commands.
struct CompletionScript: Report {
  let shell: CompletedShell
  let table: CommandTable

  static let shells = Operand<CompletedShell>(.one, summary: "Shell")

  /// The description of the command `completion` for the table.
  static func describe(_ words: [String]) -> Command {
    Command(
      words, section: .help, summary: "Print a shell completion script",
      details: ["\"make install\" installs these scripts; no other setup is needed."],
      operands: [shells],
      examples: [
        Example("recorder completion bash", "For \"source <(...)\" in bash"),
        Example("recorder completion fish", "For \"... | source\" in fish"),
      ])
  }

  func text(_ style: Style) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  var json: JSONObject { ["shell": shell.rawValue.json, "script": text(.plain).json] }

  /// The first words that several commands share, such as `permission`.
  private var families: [String] {
    let words = table.commands.filter { $0.words.count > 1 }.compactMap(\.words.first)
    return words.indices.filter { !words[..<$0].contains(words[$0]) }.map { words[$0] }
  }

  /// The first words of all commands, each once, with their summaries.
  private var beginnings: [(word: String, summary: String)] {
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
  private func members(of family: String) -> [(word: String, summary: String)] {
    table.commands.filter { $0.words.first == family }
      .compactMap { command in command.words.dropFirst().first.map { ($0, command.summary) } }
  }
}

extension OptionEntry {
  /// The option's spellings: `--device`, and `-d` if it has a short form.
  fileprivate var spellings: [String] { [spelling] + (short.map { ["-\($0)"] } ?? []) }
}

extension Command {
  /// True if an operand is the name of a file.
  fileprivate var takesFiles: Bool { operands.contains { $0.value.completion == .files } }

  /// The words that the operands can be.
  fileprivate var operandWords: [String] {
    operands.flatMap { operand -> [String] in
      if case .words(let words) = operand.value.completion { words } else { [] }
    }
  }
}

/// The text escaped for the inside of a shell's single quotation marks.
private func shellQuoted(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    + "'"
}

extension CompletionScript {
  /// The script for bash: completes an option's value after the option, else the command's words
  /// and options.
  private var bash: String {
    let families = families.map { family in
      "    \(family)) ((COMP_CWORD == 2)) || command+=\" ${COMP_WORDS[2]}\" ;;\n"
    }
    return """
      # Completes the words of recorder in bash; made by "recorder completion bash".
      _recorder_offer() {
        mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
      }
      _recorder_offer_files() {
        compopt -o filenames 2> /dev/null
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$1")
      }
      _recorder() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=""
        COMPREPLY=()
        ((COMP_CWORD == 1)) || command=${COMP_WORDS[1]}
        case $command in
      \(families.joined())    *) ;;
        esac
        case "$command $previous" in
      \(values.joined())    *) ;;
        esac
        case $command in
      \(arms.joined())    *) ;;
        esac
      }
      complete -F _recorder recorder

      """
  }

  /// The values of each option; an option with free values has none.
  private var values: [String] {
    table.commands.flatMap { command in
      command.allOptions.compactMap { option -> String? in
        guard let value = option.value else { return nil }
        let patterns = option.spellings.map { "\"\(command.name) \($0)\"" }.joined(separator: " | ")
        switch value.completion {
        case .nothing: return arm(patterns, ["return"])
        case .files: return arm(patterns, [files, "return"])
        case .words(let words): return arm(patterns, [offer(words), "return"])
        }
      }
    }
  }

  private var arms: [String] {
    // A word may be a command and also begin the names of others, as "permission" does.
    let words = table.commands.map(\.name)
    let inner = families.filter { !words.contains($0) }
      .map { arm($0, [offer(members(of: $0).map(\.word))]) }
    let whole = table.commands.map { command in
      let words =
        members(of: command.name).map(\.word) + command.operandWords
        + command.allOptions.map(\.spelling)
      return arm("\"\(command.name)\"", [offer(words)] + (command.takesFiles ? [files] : []))
    }
    return [arm("\"\"", [offer(beginnings.map(\.word))])] + inner + whole
  }

  private var files: String { "_recorder_offer_files \"$current\"" }

  private func offer(_ words: [String]) -> String {
    "_recorder_offer \"\(words.joined(separator: " "))\" \"$current\""
  }

  private func arm(_ pattern: String, _ lines: [String]) -> String {
    "    \(pattern))\n" + (lines + [";;"]).map { "      \($0)\n" }.joined()
  }
}

extension CompletionScript {
  /// The script for zsh: completes the command's words, then its options by `_arguments`.
  private var zsh: String {
    let inner = families.map { family in
      """
          \(family))
            if ((CURRENT == 3)); then
              choices=(\(list(members(of: family))))
              _describe command choices
              return
            fi
            command+=" $words[3]"
            shift words
            ((CURRENT--))
            ;;

      """
    }
    return """
      #compdef recorder
      # Completes the words of recorder in zsh; made by "recorder completion zsh".
      _recorder() {
        local -a choices
        local command=$words[2]
        if ((CURRENT == 2)); then
          choices=(\(list(beginnings)))
          _describe command choices
          return
        fi
        case $command in
      \(inner.joined())  esac
        shift words
        ((CURRENT--))
        case $command in
      \(table.commands.map(arm).joined())  esac
      }
      _recorder "$@"

      """
  }

  private func arm(_ command: Command) -> String {
    let operands = command.operands.map { operand in
      let message = "\(operand.count.repeats ? "*" : ""):\(operand.name):"
      return shellQuoted(message + action(operand.value.completion))
    }
    let specifications = command.allOptions.flatMap(specifications) + operands
    return "    \(shellQuoted(command.name)) )\n      _arguments -s \\\n        "
      + specifications.joined(separator: " \\\n        ") + "\n      ;;\n"
  }

  private func specifications(_ option: OptionEntry) -> [String] {
    option.spellings.map { spelling in
      let value = option.value.map { ":\($0.placeholder):" + action($0.completion) } ?? ""
      let isLong = spelling.hasPrefix("--") && option.value != nil
      return shellQuoted("\(spelling)\(isLong ? "=" : "")[\(escaped(option.summary))]\(value)")
    }
  }

  private func action(_ completion: Completion) -> String {
    switch completion {
    case .nothing: " "
    case .files: "_files"
    case .words(let words): "(\(words.joined(separator: " ")))"
    }
  }

  private func list(_ words: [(word: String, summary: String)]) -> String {
    words.map { shellQuoted("\($0.word):\(escaped($0.summary))") }.joined(separator: " ")
  }

  /// The summary with the characters escaped that would end it early.
  private func escaped(_ text: String) -> String {
    text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}

extension CompletionScript {
  /// The script for fish: one line for each completion, with the words that it follows.
  private var fish: String {
    let heads = beginnings.map { word, summary in
      line("__fish_use_subcommand", "-a \(word) -d \(shellQuoted(summary))")
    }
    let inner = families.flatMap { family in
      let members = members(of: family)
      let seen = members.map(\.word).joined(separator: " ")
      return members.map { word, summary in
        line(
          "__fish_seen_subcommand_from \(family); and not __fish_seen_subcommand_from \(seen)",
          "-a \(word) -d \(shellQuoted(summary))")
      }
    }
    return "# Completes the words of recorder in fish; made by \"recorder completion fish\".\n"
      + "complete -c recorder -f\n" + (heads + inner + table.commands.flatMap(lines)).joined()
  }

  private func lines(_ command: Command) -> [String] {
    let condition = command.words.map { "__fish_seen_subcommand_from \($0)" }
      .joined(separator: "; and ")
    var lines = command.allOptions.map { line(condition, $0.fish) }
    if command.takesFiles { lines.append(line(condition, "-F")) }
    let words = command.operandWords.joined(separator: " ")
    if !words.isEmpty { lines.append(line(condition, "-a \(shellQuoted(words))")) }
    return lines
  }

  private func line(_ condition: String, _ rest: String) -> String {
    "complete -c recorder -n \(shellQuoted(condition)) \(rest)\n"
  }
}

extension OptionEntry {
  fileprivate var fish: String {
    let names = "-l \(name)" + (short.map { " -s \($0)" } ?? "") + " -d \(shellQuoted(summary))"
    switch value?.completion {
    case nil: return names
    case .nothing: return names + " -x"
    case .files: return names + " -r -F"
    case .words(let words): return names + " -x -a \(shellQuoted(words.joined(separator: " ")))"
    }
  }
}
