package import CommandLine

/// The commands that the engine implements.
package var engineCommands: [any RunnableCommand.Type] {
  [
    MeterCommand.self, RecoverCommand.self, InfoCommand.self, ExportCommand.self, ShowCommand.self,
    DevicesCommand.self,
    DoctorCommand.self, SoundListCommand.self, SoundInfoCommand.self, SoundAddCommand.self,
    SoundRemoveCommand.self,
    SessionCommand.self, HookCommand.self, DeliveryCommand.self, PlayerCommand.self,
    DecodeCommand.self,
    DescribeCommand.self,
  ]
}
