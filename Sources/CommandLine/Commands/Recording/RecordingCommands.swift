internal import Control

/// The commands that record and that look after recordings.
enum RecordingCommands {
  static var all: [any Carrier.Type] {
    [
      StartCommand.self, PauseCommand.self, ResumeCommand.self, ToggleCommand.self,
      MarkCommand.self, StopCommand.self, WaitCommand.self, CancelCommand.self,
      StatusCommand.self, TakesCommand.self,
    ]
  }

  /// The recording that a command is about.
  static let name = Operand<SessionName>(
    .optional, summary: "The recording's name; \"default\" where none is given")

  static func name(_ arguments: Arguments) -> SessionName { arguments[name].first ?? .usual }
}
