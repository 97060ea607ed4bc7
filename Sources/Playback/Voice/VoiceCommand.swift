package import Audio

/// A command to a voice.
package enum VoiceCommand: BitwiseCopyable, Hashable, Sendable {
  /// Plays from the beginning, in any state.
  case play(PlayOptions)
  /// Stops with a short fade; the position stays.
  case stop
  /// Pauses with a short fade; changes nothing unless the voice plays.
  case pause
  /// Continues from the position.
  case resume
  /// Moves to the beginning; a playing voice keeps playing.
  case rewind
  /// Plays from the beginning, with as many plays as the last time.
  case replay
  /// Moves to a frame; a position past the end is the end.
  case seek(FrameCount)
  /// Fades to a gain, 1 being unchanged.
  case volume(Float, within: FrameCount)
  /// Loops, or ends the loop with the current play.
  case loop(Bool)
  /// Mutes or unmutes; a muted voice keeps playing.
  case mute(Bool)
}

/// The options of one playback.
package struct PlayOptions: BitwiseCopyable, Hashable, Sendable {
  /// The number of plays in total.
  package var times = 1
  /// Loops until a command ends it.
  package var loops = false
  /// The gain; nil leaves it unchanged.
  package var volume: Float?
  /// Muted from the start; nil leaves it unchanged.
  package var isMuted: Bool?
  /// The time from silence to the volume.
  package var fadeIn: FrameCount = 0
  /// Silence before the sound if the output slept, for devices that swallow their first moments.
  package var leadIn: FrameCount = 0

  /// One play at the present volume, without a fade.
  package init() {}
}
