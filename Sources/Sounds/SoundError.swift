package import Decoding
package import Devices
package import Linux
package import Playback

/// The reason why a player did not do as it was asked: facts only, without advice.
package enum SoundError: Error, Equatable, Sendable {
  /// The library has no sound of that name that can be opened.
  case notFound(name: String, SoundLibraryError)
  /// Several files that are played end with that name.
  case ambiguous(name: String, paths: [String])
  /// The sound's file cannot be read, so none of it was played.
  case unreadable(name: String, DecodingError)
  /// The sound was played as far as its file could be read.
  case brokenOff(name: String, DecodingError)
  /// The device cannot be opened.
  case unopened(device: String, DeviceError)
  /// The device did not say within so long that it is open.
  case unanswered(device: String, after: Duration)
  /// The device was open, and plays no more.
  case ended(device: String, PlaybackEnd)
  /// No voice could be given to the sound.
  case noVoice(name: String, OutputError)
  /// A voice of the sound did not take the command.
  case untold(SoundAction, name: String, OutputError)
  /// The system refused something that takes no particular sound or device.
  case system(Step, SystemError)

  /// A part of the player's work that the system can refuse.
  package enum Step: Sendable {
    /// A thread that opens a device.
    case opening
    /// A thread that decodes a file.
    case decoding
    /// The thread that plays on an open device.
    case playing
    /// The descriptor that tells news of the other threads.
    case waiting
    /// The file with the volumes and the mutes.
    case remembering
  }
}
