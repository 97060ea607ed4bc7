internal import Audio
internal import Linux
internal import Playback

/// A name that was played on an output: the voice that commands address, and earlier ones that
/// still play.
final class Track {
  let name: String
  var path: String
  /// The sound of the latest play.
  var sound: Sound
  /// The voice of the latest play.
  var main: VoiceID
  /// The voices of earlier plays that are still playing.
  var others: [VoiceID] = []
  /// The volume of the latest play; `isFaded` is true after a fade that left the voice at another.
  var volume: Float = 1
  var isFaded = false
  /// A counter of uses, by which the oldest name is forgotten.
  var used = 0

  init(_ name: String, _ found: FoundSound, _ sound: Sound, _ voice: VoiceID) {
    self.name = name
    path = found.path
    self.sound = sound
    main = voice
  }

  var length: Duration { sound.duration }

  var voices: [VoiceID] { others + [main] }

  /// True if any of its voices is playing.
  func isPlaying(on output: Output) -> Bool {
    voices.contains { output.report(of: $0)?.state == .playing }
  }

  /// Restores the gain after a fade that ended a play.
  func restoreVolume(on output: Output) throws(OutputError) {
    guard isFaded else { return }
    isFaded = false
    try output.tell(main, .volume(volume, within: 0))
  }
}
