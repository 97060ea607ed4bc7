internal import Linux

/// A command of the program.
package protocol RunnableCommand: SendableMetatype {
  /// The words after `recorder`: `info`, or two as in `sound list`.
  static var words: [String] { get }

  /// The whole description, built when it is needed.
  static var command: Command { get }

  /// Runs the command and returns the report to print. Throws if the command fails.
  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws -> any Report
}

/// A row of the table: the words of a command, its description and its function.
package struct CommandRow: Sendable {
  /// The function of a command.
  package typealias Function =
    @Sendable (_ arguments: Arguments, _ console: Console) throws -> any Report

  /// The words after `recorder`.
  package let words: [String]
  private let describe: @Sendable ([String]) -> Command
  /// The function that runs the command.
  let run: Function
  /// Whether lists leave the command out, because no user types it.
  private(set) var isHidden = false

  /// Creates a row. The description is built only if the command was typed, or if a list of
  /// commands needs it.
  package init(
    _ words: [String], _ describe: @escaping @Sendable (_ words: [String]) -> Command,
    run: @escaping Function
  ) {
    self.words = words
    self.describe = describe
    self.run = run
  }

  /// Creates the row of a command that has its own type.
  package init(_ type: any RunnableCommand.Type) {
    self.init(type.words, { _ in type.command }) { arguments, console in
      try type.carryOut(arguments, console)
    }
  }

  /// Creates the row of a command that may reach a sound server.
  ///
  /// Sound servers have their sockets in XDG_RUNTIME_DIR. The variable is set before the command
  /// runs, because cron does not set it.
  package init(sound type: any RunnableCommand.Type) {
    self.init(type.words, { _ in type.command }) { arguments, console in
      Environment.set("XDG_RUNTIME_DIR", to: BaseDirectories.Facts.environment().login)
      return try type.carryOut(arguments, console)
    }
  }

  /// Creates the row of a process that the program starts.
  package init(hidden type: any RunnableCommand.Type) {
    self.init(sound: type)
    isHidden = true
  }

  /// The whole description.
  package var command: Command { describe(words) }

  /// The words joined: `sound list`.
  var name: String { words.joined(separator: " ") }
}

/// The commands of a program.
package struct CommandTable: Sendable {
  private let rows: [CommandRow]

  /// Creates a table of these commands. The overview lists them in this order.
  package init(_ rows: [CommandRow]) { self.rows = rows }

  /// Creates a table of groups of commands. This runs at each start of the program, so it copies
  /// each row only once.
  package init(_ groups: [[CommandRow]]) {
    var rows: [CommandRow] = []
    rows.reserveCapacity(groups.reduce(0) { $0 + $1.count })
    for group in groups { rows += group }
    self.rows = rows
  }

  private var listed: [CommandRow] { rows.filter { !$0.isHidden } }

  /// The descriptions of all commands.
  package var commands: [Command] { listed.map(\.command) }

  /// Returns the command with exactly these words, or nil if there is none.
  func command(_ words: [String]) -> Command? { row(words)?.command }

  /// Returns the function of the command with exactly these words, or nil if there is none.
  package func function(_ words: [String]) -> CommandRow.Function? { row(words)?.run }

  /// Returns whether there is a command with exactly these words.
  func contains(_ words: [String]) -> Bool { row(words) != nil }

  private func row(_ words: [String]) -> CommandRow? { rows.first { $0.words == words } }

  /// Returns the commands whose names begin with these words, such as all of `sound ...`.
  func family(of words: [String]) -> CommandTable {
    CommandTable(rows.filter { $0.words.starts(with: words) })
  }

  /// Returns the commands whose names begin with these words, except the command with exactly these
  /// words.
  func subcommands(of words: [String]) -> [Command] {
    family(of: words).commands.filter { $0.words != words }
  }

  /// Returns whether the name of any command begins with these words.
  func contains(family words: [String]) -> Bool { rows.contains { $0.words.starts(with: words) } }

  /// Returns the words that can follow `words` in the names of commands.
  func next(after words: [String]) -> [String] {
    listed.compactMap { row in
      row.words.starts(with: words) ? row.words.dropFirst(words.count).first : nil
    }
  }

  /// The command that explains other commands. Some users type it last, as in `sound help`.
  private static let help = "help"

  /// Returns the names of the commands nearest to these words.
  func nearest(to words: [String]) -> [String] {
    if words.count > 1, words.last == Self.help {
      return [([Self.help] + words.dropLast()).joined(separator: " ")]
    }
    let common = CommonWord.meant(by: words).filter { contains($0) }
    if !common.isEmpty { return common.map { $0.joined(separator: " ") } }
    let lastWords = listed.filter { $0.words.count > 1 && $0.words.last == words.last }
    let nearest = nearestNames(to: words.joined(separator: " "), among: listed.map(\.name))
    return nearest.isEmpty ? lastWords.map(\.name) : nearest
  }
}
