extension CompletionScript {
  /// The script for fish: one line for each completion, with the words that it follows.
  var fish: String {
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
