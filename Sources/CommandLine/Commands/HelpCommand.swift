/// The command `help`, with pages about the program, its commands and its exit codes.
enum HelpCommand: Carrier {
  static var words: [String] { ["help"] }

  static let subject = Operand<Text>(
    .any, named: "COMMAND",
    summary: "A command, exit-codes for what they mean, or manual for all of it as a man page")

  static var command: Command {
    Command(
      words, section: .help, summary: "Explain the program or a command",
      details: ["Without a command it lists all commands."],
      operands: [subject],
      examples: [
        Example("recorder help", "List the commands"),
        Example("recorder help info", "Explain the command info"),
        Example("recorder help exit-codes", "List what the exit codes mean"),
        Example("recorder help manual", "All of it, for \"man -l -\""),
      ])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try report(on: arguments[subject].map(\.value), .standard)
  }

  /// The page about a command, a family of commands or a topic; the overview without words.
  static func report(on words: [String], _ table: CommandTable) throws(Failure) -> any Report {
    if words.isEmpty { return OverviewPage(table: table) }
    if words == [ExitCodePage.topic] { return ExitCodePage() }
    if words == [ManualPage.topic] { return ManualPage(table: table) }
    let family = table.family(of: words)
    let isFamily = !family.next(after: words).isEmpty
    if !isFamily, let command = table.command(words) { return CommandPage(command: command) }
    if isFamily { return OverviewPage(table: family, family: words) }
    if let first = words.first, table.contains([first]), words.count > 1 {
      let pages = words.filter { table.contains([$0]) }
      throw Failure(
        .usage,
        Message(
          "help explains one command at a time, not \(quoted(words.joined(separator: " ")))",
          advice: "write \(alternatives(pages.map { "\"recorder help \($0)\"" }))"))
    }
    let name = words.joined(separator: " ")
    throw Failure(
      .usage, UsageError.unknownCommand(name, nearest: table.nearest(to: words)).message)
  }
}
