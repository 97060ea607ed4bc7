extension CommandTable {
  /// The commands of this release, in the order of the overview; a new command is a row here.
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

  // These two explain the table, so it is handed to them here.
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
