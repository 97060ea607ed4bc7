extension CompletionScript {
  /// The script for bash: completes an option's value after the option, else the command's words
  /// and options.
  var bash: String {
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
