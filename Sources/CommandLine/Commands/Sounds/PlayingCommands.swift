/// The commands that play, control and manage sounds.
enum PlayingCommands {
  static var all: [any Carrier.Type] {
    [
      PlayCommand.self, SoundStopCommand.self, SoundPauseCommand.self, SoundResumeCommand.self,
      SoundRewindCommand.self, SoundReplayCommand.self, SoundSeekCommand.self,
      SoundVolumeCommand.self, SoundMuteCommand.self, SoundUnmuteCommand.self,
      SoundPrepareCommand.self, SoundStatusCommand.self,
    ]
  }

  /// The commands that the engine carries out, because they read sound files.
  static var library: [any CommandDefinition.Type] {
    [
      SoundListCommand.self, SoundInfoCommand.self, SoundAddCommand.self, SoundRemoveCommand.self,
    ]
  }
}
