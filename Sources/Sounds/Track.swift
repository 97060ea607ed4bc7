internal import Audio
internal import Linux
internal import Playback

/// A name that was played on an output: the voice that commands mean, and others that still sound.
final class Track {
  let name: String
  var path: String
  /// That of the latest play.
  var sound: Sound
  /// The voice of the latest play.
  var main: VoiceID
  /// Those of earlier plays that are still heard.
  var others: [VoiceID] = []
  /// The volume of the latest play, and whether a fade has left the voice with another.
  var volume: Float = 1
  var isFaded = false
  /// Counts up with each use, so that the oldest can be forgotten.
  var used = 0

  init(_ name: String, _ found: FoundSound, _ sound: Sound, _ voice: VoiceID) {
    self.name = name
    path = found.path
    self.sound = sound
    main = voice
  }

  var length: Duration { sound.duration }

  var voices: [VoiceID] { others + [main] }

  /// True if any of it is heard now.
  func isPlaying(on output: Output) -> Bool {
    voices.contains { output.report(of: $0)?.state == .playing }
  }

  /// Undoes a fade that ended a play, which has left the voice silent.
  func restoreVolume(on output: Output) throws(OutputError) {
    guard isFaded else { return }
    isFaded = false
    try output.tell(main, .volume(volume, within: 0))
  }
}
