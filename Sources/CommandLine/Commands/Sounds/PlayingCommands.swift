/// The commands that play sounds and control what plays, and those that look after the sounds.
enum PlayingCommands {
  static var all: [any Carrier.Type] {
    [
      PlayCommand.self, SoundStopCommand.self, SoundPauseCommand.self, SoundResumeCommand.self,
      SoundRewindCommand.self, SoundReplayCommand.self, SoundSeekCommand.self,
      SoundVolumeCommand.self, SoundMuteCommand.self, SoundUnmuteCommand.self,
      SoundPrepareCommand.self, SoundStatusCommand.self,
    ]
  }

  /// What the engine carries out, because files have to be read.
  static var library: [any CommandDefinition.Type] {
    [
      SoundListCommand.self, SoundInfoCommand.self, SoundAddCommand.self, SoundRemoveCommand.self,
    ]
  }
}
