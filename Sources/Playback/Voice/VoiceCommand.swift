package import Audio

/// What a voice can be told.
package enum VoiceCommand: BitwiseCopyable, Hashable, Sendable {
  /// From the beginning, whatever was before.
  case play(PlayOptions)
  /// Silence at once; the position stays.
  case stop
  /// As stop, but it counts as paused; what does not play cannot pause.
  case pause
  /// On from the position.
  case resume
  /// To the beginning; what plays goes on from there.
  case rewind
  /// From the beginning, with as many plays as the last time.
  case replay
  /// To a frame; past the end is the end.
  case seek(FrameCount)
  /// To a factor, 1 being as it was made.
  case volume(Float, within: FrameCount)
  /// Over and over, or to the end of this play.
  case loop(Bool)
  /// Silent while it goes on.
  case mute(Bool)
}

/// How a sound is to be played.
package struct PlayOptions: BitwiseCopyable, Hashable, Sendable {
  /// How often in total.
  package var times = 1
  /// Over and over until it is told otherwise.
  package var loops = false
  /// The factor; nil leaves it as it was.
  package var volume: Float?
  /// Silent while it plays; nil leaves it as it was.
  package var isMuted: Bool?
  /// How long it takes from silence to its volume.
  package var fadeIn: FrameCount = 0
  /// Silence before it where the output slept, for devices that swallow their first moments.
  package var leadIn: FrameCount = 0

  package init() {}
}
