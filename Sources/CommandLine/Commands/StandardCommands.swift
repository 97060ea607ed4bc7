extension CommandTable {
  /// The commands of this release; a new one is a file in Commands and an entry here.
  package static var standard: CommandTable {
    CommandTable(
      RecordingCommands.all.definitions + PlayingCommands.all.definitions
        + PlayingCommands.library + PermissionOverview.carriers.definitions + [
          MeterCommand.self, RecoverCommand.self, InfoCommand.self, DevicesCommand.self,
          DoctorCommand.self,
          HelpCommand.self, CompletionCommand.self,
        ])
  }
}
