extension CommandTable {
  /// The commands of the program, in the order of the overview. For a new command, add a row here.
  package static let standard = CommandTable([
    [CommandRow(StartCommand.self)], RecordingCommands.rows,
    [
      CommandRow(sound: TapCommand.self), CommandRow(StatusCommand.self),
      CommandRow(TakesCommand.self),
      CommandRow(DeliverCommand.self),
    ],
    TakeChangeCommands.rows, [CommandRow(PlayCommand.self)], SoundCommands.rows,
    [
      CommandRow(SoundStatusCommand.self), CommandRow(sound: SoundListCommand.self),
      CommandRow(sound: SoundInfoCommand.self), CommandRow(sound: SoundAddCommand.self),
      CommandRow(sound: SoundRemoveCommand.self),
    ],
    PermissionOverview.commands.map { CommandRow($0) }, GuardCommands.all.map { CommandRow($0) },
    [
      CommandRow(sound: MeterCommand.self), CommandRow(sound: RecoverCommand.self),
      CommandRow(sound: InfoCommand.self), CommandRow(sound: ShowCommand.self),
      CommandRow(sound: ExportCommand.self), CommandRow(sound: DevicesCommand.self),
      CommandRow(sound: ListenersCommand.self), CommandRow(sound: DoctorCommand.self),
    ],
    ConfigCommands.rows, [help, completion],
    // Processes that the program starts.
    [
      CommandRow(hidden: SessionCommand.self), CommandRow(hidden: HookCommand.self),
      CommandRow(hidden: DeliveryCommand.self), CommandRow(hidden: PlayerCommand.self),
      CommandRow(hidden: DecodeCommand.self), CommandRow(hidden: DescribeCommand.self),
    ],
  ])

  // `help` explains all commands, so the function of its row uses the table.
  private static var help: CommandRow {
    CommandRow(HelpCommand.words, HelpCommand.describe) { arguments, _ in
      try HelpCommand.report(on: arguments[HelpCommand.subject].map(\.text), standard)
    }
  }

  private static var completion: CommandRow {
    CommandRow(["completion"], CompletionScript.describe) { arguments, _ in
      CompletionScript(shell: arguments[CompletionScript.shells].first ?? .bash)
    }
  }
}
