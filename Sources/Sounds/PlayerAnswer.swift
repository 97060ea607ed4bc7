package import Audio
package import Control
package import Decoding
package import Devices
package import JSON
package import Linux
package import Playback

/// The number of an order to a player, which its answer repeats.
package struct PlayerOrderID: Hashable, Sendable {
  let number: Int
}

/// The answer to an order that was accepted.
package enum PlayerAnswer: Sendable {
  /// The outcome of a play: at its end, or at its beginning for a client that does not wait.
  case played(PlayResult)
  /// An action was carried out; the states of its sounds.
  case done([SoundStatus])
  /// The order failed.
  case refused(SoundError)
}

/// The state of a player at one instant.
package struct PlayerStatus: Sendable {
  /// An open device.
  package struct Device: Sendable {
    /// The name by which the device was requested.
    package let name: String
    /// The format of the device.
    package let format: StreamFormat
    /// The number of underruns.
    package let underruns: Int
  }

  /// The sounds that were played lately, grouped by device.
  package let sounds: [SoundStatus]
  /// The devices that are open.
  package let devices: [Device]
}

extension PlayerStatus {
  /// The reply to `status`, and the event of those that watch.
  package var json: JSONObject {
    let devices = devices.map { device -> JSONValue in
      [
        "device": device.name.json, "rate": device.format.rate.hertz.json,
        "channels": device.format.channels.value.json, "underruns": device.underruns.json,
      ]
    }
    return ["sounds": sounds.json, "outputs": .array(devices)]
  }
}

/// A reason why a player did not carry out an order: facts only, without advice.
package enum SoundError: Error, Equatable, Sendable {
  /// The library has no playable sound of that name.
  case notFound(name: String, SoundLibraryError)
  /// Several playing files have names that end with that one.
  case ambiguous(name: String, paths: [String])
  /// The sound's file cannot be read, so none of it was played.
  case unreadable(name: String, DecodingError)
  /// The sound was played up to the part of its file that cannot be read.
  case brokenOff(name: String, DecodingError)
  /// The device cannot be opened.
  case unopened(device: String, DeviceError)
  /// The device did not open within the time limit.
  case unanswered(device: String, after: Duration)
  /// The device failed after it was open.
  case ended(device: String, PlaybackEnd)
  /// No voice could be given to the sound.
  case noVoice(name: String, OutputError)
  /// A voice of the sound did not carry out the command.
  case untold(SoundAction, name: String, OutputError)
  /// The system refused a resource that belongs to no particular sound or device.
  case system(Step, SystemError)

  /// A part of the player's work that the system can refuse.
  package enum Step: Sendable {
    /// A thread that opens a device.
    case opening
    /// A thread that decodes a file.
    case decoding
    /// The thread that plays on an open device.
    case playing
    /// The descriptor that wakes the player's thread.
    case waiting
    /// The file with the volumes and the mutes.
    case remembering
  }
}
