package import CommandLine

/// The commands that need a sound card or foreign files.
package var soundCommands: [any RunnableCommand.Type] {
  [
    MeterCommand.self, RecoverCommand.self, InfoCommand.self, ExportCommand.self, ShowCommand.self,
    DevicesCommand.self, DoctorCommand.self, SoundListCommand.self, SoundInfoCommand.self,
    SoundAddCommand.self, SoundRemoveCommand.self,
  ]
}

/// The commands of the processes that the program starts: recordings, the player, deliveries and the
/// confined readers of files.
package var hiddenCommands: [any RunnableCommand.Type] {
  [
    SessionCommand.self, HookCommand.self, DeliveryCommand.self, PlayerCommand.self,
    DecodeCommand.self, DescribeCommand.self,
  ]
}
