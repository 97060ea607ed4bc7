extension CommandTable {
  /// The commands of the program, in the order of the overview. A new command is a new row here.
  package static let standard = CommandTable(
    recordings + sounds + permission + [
      CommandRow(definition: MeterCommand.self), CommandRow(definition: RecoverCommand.self),
      CommandRow(definition: InfoCommand.self), CommandRow(definition: ShowCommand.self),
      CommandRow(definition: ExportCommand.self),
      CommandRow(definition: DevicesCommand.self),
      CommandRow(definition: DoctorCommand.self),
    ] + ConfigCommands.rows + [help, completion])

  private static var recordings: [CommandRow] {
    [CommandRow(StartCommand.self)] + RecordingCommands.rows + [
      CommandRow(StatusCommand.self), CommandRow(TakesCommand.self),
      CommandRow(DeliverCommand.self),
    ] + TakeChangeCommands.rows
  }

  private static var sounds: [CommandRow] {
    [CommandRow(PlayCommand.self)] + SoundCommands.rows + [
      CommandRow(SoundStatusCommand.self), CommandRow(definition: SoundListCommand.self),
      CommandRow(definition: SoundInfoCommand.self), CommandRow(definition: SoundAddCommand.self),
      CommandRow(definition: SoundRemoveCommand.self),
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
