extension CommandTable {
  /// The commands of the program, in the order of the overview. A new command is a new row here.
  package static let standard = CommandTable(
    recordings + sounds + permission + [
      CommandRow(inEngine: MeterCommand.self), CommandRow(inEngine: RecoverCommand.self),
      CommandRow(inEngine: InfoCommand.self), CommandRow(inEngine: ShowCommand.self),
      CommandRow(inEngine: ExportCommand.self),
      CommandRow(inEngine: DevicesCommand.self),
      CommandRow(inEngine: DoctorCommand.self),
    ] + ConfigCommands.rows + [help, completion])

  private static var recordings: [CommandRow] {
    [CommandRow(StartCommand.self)] + RecordingCommands.rows + [
      CommandRow(StatusCommand.self), CommandRow(TakesCommand.self),
      CommandRow(DeliverCommand.self),
    ] + TakeChangeCommands.rows
  }

  private static var sounds: [CommandRow] {
    [CommandRow(PlayCommand.self)] + SoundCommands.rows + [
      CommandRow(SoundStatusCommand.self), CommandRow(inEngine: SoundListCommand.self),
      CommandRow(inEngine: SoundInfoCommand.self), CommandRow(inEngine: SoundAddCommand.self),
      CommandRow(inEngine: SoundRemoveCommand.self),
    ]
  }

  private static var permission: [CommandRow] { PermissionOverview.commands.map { CommandRow($0) } }

  // `help` explains the table, so its row refers to the table.
  private static var help: CommandRow {
    CommandRow(HelpCommand.words, HelpCommand.describe) { arguments, _ throws(Failure) in
      try HelpCommand.report(on: arguments[HelpCommand.subject].map(\.word), standard)
    }
  }

  private static var completion: CommandRow {
    CommandRow(["completion"], CompletionScript.describe) { arguments, _ throws(Failure) in
      CompletionScript(shell: arguments[CompletionScript.shells].first ?? .bash)
    }
  }
}
