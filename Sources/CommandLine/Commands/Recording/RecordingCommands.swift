/// The commands that make and manage recordings.
enum RecordingCommands {
  static var all: [any Carrier.Type] {
    [
      StartCommand.self, PauseCommand.self, ResumeCommand.self, ToggleCommand.self,
      MarkCommand.self, SplitCommand.self, TriggerCommand.self, StopCommand.self, WaitCommand.self,
      CancelCommand.self,
      StatusCommand.self, TakesCommand.self,
    ]
  }
}
