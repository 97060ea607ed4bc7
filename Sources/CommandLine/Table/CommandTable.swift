internal import Linux

/// The commands of a program.
package struct CommandTable: Sendable {
  private let definitions: [any CommandDefinition.Type]

  /// A table of these commands, which the overview lists in this order.
  package init(_ definitions: [any CommandDefinition.Type]) { self.definitions = definitions }

  /// The table with further commands.
  func adding(_ more: [any CommandDefinition.Type]) -> CommandTable {
    CommandTable(definitions + more)
  }

  /// The descriptions of all commands.
  package var commands: [Command] { definitions.map { $0.command } }

  /// The command of exactly these words; nil if there is none.
  func command(_ words: [String]) -> Command? {
    definitions.first { $0.words == words }?.command
  }

  /// True if there is a command of exactly these words.
  func contains(_ words: [String]) -> Bool { definitions.contains { $0.words == words } }

  /// The commands whose names begin with these words: all of `sound ...`.
  func family(of words: [String]) -> CommandTable {
    CommandTable(definitions.filter { $0.words.starts(with: words) })
  }

  /// True if the table has no command.
  var isEmpty: Bool { definitions.isEmpty }

  /// The next words of a family after `words`.
  func next(after words: [String]) -> [String] {
    definitions.compactMap { $0.words.dropFirst(words.count).first }
  }

  /// The names of the commands nearest to these words.
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

/// A type that describes one command; the table holds the types and asks only the one that was
/// typed.
package protocol CommandDefinition: SendableMetatype {
  /// The words after `recorder`: `info`, or two as in `sound list`.
  static var words: [String] { get }

  /// The whole description, which is made on demand.
  static var command: Command { get }
}

extension CommandDefinition {
  /// The words joined: `sound list`.
  static var name: String { words.joined(separator: " ") }
}

/// The code that carries out a command of the table.
package protocol Carrier: CommandDefinition {
  /// Carries out the command and returns the report to print.
  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report
}

extension [any Carrier.Type] {
  /// The definitions of the same commands; a cast of the whole list would look every one up at run
  /// time.
  var definitions: [any CommandDefinition.Type] { map { $0 } }
}
