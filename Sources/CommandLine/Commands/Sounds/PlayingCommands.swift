/// The commands that play sounds and control what plays.
enum PlayingCommands {
  static var all: [any Carrier.Type] {
    [
      PlayCommand.self, SoundStopCommand.self, SoundPauseCommand.self, SoundResumeCommand.self,
      SoundRewindCommand.self, SoundReplayCommand.self, SoundSeekCommand.self,
      SoundVolumeCommand.self, SoundMuteCommand.self, SoundUnmuteCommand.self,
      SoundPrepareCommand.self, SoundStatusCommand.self,
    ]
  }
}
