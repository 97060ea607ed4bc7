extension CommandTable {
  /// The commands of this release; a new one is a file in Commands and a word here.
  package static var standard: CommandTable {
    CommandTable(
      RecordingCommands.all + PlayingCommands.all + PlayingCommands.library
        + PermissionOverview.carriers + [
          MeterCommand.self, RecoverCommand.self, InfoCommand.self, DevicesCommand.self,
          DoctorCommand.self,
          HelpCommand.self, CompletionCommand.self,
        ])
  }
}
