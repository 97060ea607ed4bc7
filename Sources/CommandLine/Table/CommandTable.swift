internal import Linux

/// A type that describes one command.
package protocol CommandDefinition: SendableMetatype {
  /// The words after `recorder`: `info`, or two as in `sound list`.
  static var words: [String] { get }

  /// The whole description, which is made on demand.
  static var command: Command { get }
}

/// A command that this program runs by itself.
package protocol RunnableCommand: CommandDefinition {
  /// Runs the command and returns the report to print.
  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report
}

/// A row of the table: the words of a command, its description and its function.
package struct CommandRow: Sendable {
  /// The function of a command.
  package typealias Function =
    @Sendable (_ arguments: Arguments, _ console: Console) throws(Failure) -> any Report

  /// The words after `recorder`.
  package let words: [String]
  private let describe: @Sendable ([String]) -> Command
  /// The function; nil if only the engine has it.
  fileprivate(set) var run: Function?

  /// A row whose description is built only for the command that was typed, and for lists.
  package init(
    _ words: [String], _ describe: @escaping @Sendable (_ words: [String]) -> Command,
    run: @escaping Function
  ) {
    self.words = words
    self.describe = describe
    self.run = run
  }

  /// The row of a command with options and steps of its own.
  package init(_ type: any RunnableCommand.Type) {
    self.init(type.words, { _ in type.command }) { arguments, console throws(Failure) in
      try type.carryOut(arguments, console)
    }
  }

  /// The row of a command that the engine runs.
  package init(inEngine type: any CommandDefinition.Type) {
    words = type.words
    describe = { _ in type.command }
  }

  /// The whole description.
  package var command: Command { describe(words) }

  /// The words joined: `sound list`.
  var name: String { words.joined(separator: " ") }
}

/// The commands of a program.
package struct CommandTable: Sendable {
  private var rows: [CommandRow]

  /// A table of these commands, which the overview lists in this order.
  package init(_ rows: [CommandRow]) { self.rows = rows }

  /// The table with the functions of the engine's commands; those that are not in it are added.
  func adding(_ commands: [any RunnableCommand.Type]) -> CommandTable {
    var table = self
    for type in commands {
      let row = CommandRow(type)
      if let place = rows.firstIndex(where: { $0.words == row.words }) {
        table.rows[place].run = row.run
      } else {
        table.rows.append(row)
      }
    }
    return table
  }

  /// The descriptions of all commands.
  package var commands: [Command] { rows.map(\.command) }

  /// The command of exactly these words; nil if there is none.
  func command(_ words: [String]) -> Command? { row(words)?.command }

  /// The function of the command of exactly these words; nil if the engine has it.
  package func function(_ words: [String]) -> CommandRow.Function? { row(words)?.run }

  /// True if there is a command of exactly these words.
  func contains(_ words: [String]) -> Bool { row(words) != nil }

  private func row(_ words: [String]) -> CommandRow? { rows.first { $0.words == words } }

  /// The commands whose names begin with these words: all of `sound ...`.
  func family(of words: [String]) -> CommandTable {
    CommandTable(rows.filter { $0.words.starts(with: words) })
  }

  /// True if there is a command whose name begins with these words.
  func contains(family words: [String]) -> Bool { rows.contains { $0.words.starts(with: words) } }

  /// The words that can follow `words` in the names of commands.
  func next(after words: [String]) -> [String] {
    rows.compactMap { row in
      row.words.starts(with: words) ? row.words.dropFirst(words.count).first : nil
    }
  }

  /// The command that explains others; users type it behind them, too.
  private static let help = "help"

  /// The names of the commands nearest to these words.
  func nearest(to words: [String]) -> [String] {
    if words.count > 1, words.last == Self.help {
      return [([Self.help] + words.dropLast()).joined(separator: " ")]
    }
    let common = CommonWord.meant(by: words).filter { contains($0) }
    if !common.isEmpty { return common.map { $0.joined(separator: " ") } }
    let lastWords = rows.filter { $0.words.count > 1 && $0.words.last == words.last }
    let nearest = nearestNames(to: words.joined(separator: " "), among: rows.map(\.name))
    return nearest.isEmpty ? lastWords.map(\.name) : nearest
  }
}
