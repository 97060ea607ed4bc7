internal import Linux

/// Every command that there is.
package struct CommandTable: Sendable {
  private let definitions: [any CommandDefinition.Type]

  package init(_ definitions: [any CommandDefinition.Type]) { self.definitions = definitions }

  /// The same with further commands.
  func adding(_ more: [any CommandDefinition.Type]) -> CommandTable {
    CommandTable(definitions + more)
  }

  /// All of them, described.
  package var commands: [Command] { definitions.map { $0.command } }

  /// The command of exactly these words.
  func command(_ words: [String]) -> Command? {
    definitions.first { $0.words == words }?.command
  }

  /// Whether there is a command of exactly these words.
  func contains(_ words: [String]) -> Bool { definitions.contains { $0.words == words } }

  /// The commands whose names begin with these words: all of `sound ...`.
  func family(of words: [String]) -> CommandTable {
    CommandTable(definitions.filter { $0.words.starts(with: words) })
  }

  /// Whether there is no command in it.
  var isEmpty: Bool { definitions.isEmpty }

  /// The words of a family that come after `words`.
  func next(after words: [String]) -> [String] {
    definitions.compactMap { $0.words.dropFirst(words.count).first }
  }

  /// The names of commands that somebody who typed these words may have meant.
  func nearest(to words: [String]) -> [String] {
    if words.count > 1, words.last == HelpCommand.words.last {
      return [(HelpCommand.words + words.dropLast()).joined(separator: " ")]
    }
    let common = CommonWord.meant(by: words).filter { contains($0) }
    if !common.isEmpty { return common.map { $0.joined(separator: " ") } }
    let lastWords = definitions.filter { $0.words.count > 1 && $0.words.last == words.last }
    let nearest = nearestNames(
      to: words.joined(separator: " "), among: definitions.map { $0.name })
    return nearest.isEmpty ? lastWords.map { $0.name } : nearest
  }
}
