package import Control

/// A change to sounds that are played, or could be.
package enum SoundAction: Equatable, Sendable {
  /// Ends the sound; its place stays.
  case stop
  /// Pauses the sound where it is.
  case pause
  /// Plays the sound from its place on.
  case resume
  /// Moves to the beginning; a sound that plays goes on from there.
  case rewind
  /// Plays the sound from its beginning.
  case replay
  /// Gives the sound a voice, so that its next play begins at once.
  case prepare
  /// Moves to a place; past the end is the end.
  case seek(to: Duration)
  /// Sets the factor, 1 being as the sound was made, within `fade`; it is remembered.
  case volume(Double, fade: Duration)
  /// Silences the sound until it is unmuted; it is remembered.
  case mute
  /// Ends a mute.
  case unmute

  /// True if a sound that nobody has played has to get a voice for it.
  var needsVoice: Bool {
    switch self {
    case .resume, .replay, .prepare, .seek: true
    case .stop, .pause, .rewind, .volume, .mute, .unmute: false
    }
  }
}

/// The sounds that an action is about.
package struct SoundTarget: Sendable {
  /// The name of the sound, or the path of its file; nil is every sound that is known.
  package var name: String?
  /// The device; nil is each on which the sound is known.
  package var device: String?
  /// The variables that say which files and devices are meant.
  package var environment: PlayerEnvironment

  /// The sound of that name on that device, as a program with that environment means both.
  package init(
    _ name: String? = nil, on device: String? = nil, environment: PlayerEnvironment = [:]
  ) {
    self.name = name
    self.device = device
    self.environment = environment
  }
}
