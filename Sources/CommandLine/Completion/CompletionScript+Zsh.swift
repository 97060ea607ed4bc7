extension CompletionScript {
  /// The script for zsh: completes the command's words, then its options by `_arguments`.
  var zsh: String {
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
