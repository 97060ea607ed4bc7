package import Audio
package import Control
package import Devices
package import JSON
package import Linux
package import Playback

/// The number of an order. The answer to the order has the same number.
package struct PlayerOrderID: Hashable, Sendable {
  let number: Int
}

/// The answer to an accepted order.
package enum PlayerAnswer: Sendable {
  /// The outcome of a play. If the client does not wait, the answer comes at the beginning of the
  /// play, otherwise at its end.
  case played(PlayResult)
  /// The action was carried out. The value has the states of its sounds.
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

  /// The recently played sounds, grouped by device.
  package let sounds: [SoundStatus]
  /// The open devices.
  package let devices: [Device]
}

extension PlayerStatus {
  /// The reply to `status`, and the event for clients that watch.
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

/// The reason why a player did not carry out an order. It contains facts, and no advice for the
/// user.
package enum SoundError: Error {
  /// The library has no playable sound with the name.
  case notFound(SoundLibraryError)
  /// The paths of several played files end with the name.
  case ambiguous(name: String, paths: [String])
  /// The file of the sound cannot be read, and nothing was played.
  case unreadable(name: String, any Error)
  /// The file of the sound is broken, and was played up to the broken part.
  case brokenOff(name: String, any Error)
  /// The device cannot be opened.
  case unopened(device: String, DeviceError)
  /// The device did not open in time, or a call to the open device did not return in time.
  case unanswered(device: String, after: Duration)
  /// The device failed after it was opened.
  case ended(device: String, PlaybackEnd)
  /// The output had no voice for the sound.
  case noVoice(name: String, OutputError)
  /// A system call failed. The failure does not belong to a particular sound or device.
  case system(SystemError)
}

extension SoundError {
  /// Runs a step of a play. Throws its error with the name of the sound or of the device.
  package static func of<Value: ~Copyable>(
    _ name: String, _ step: @autoclosure () throws -> Value
  ) throws(SoundError) -> Value {
    try mapError({ (error: any Error) in SoundError(name, error) }, step())
  }

  private init(_ name: String, _ error: any Error) {
    switch error {
    case let error as SoundLibraryError: self = .notFound(error)
    case let error as DeviceError: self = .unopened(device: name, error)
    case let error as OutputError: self = .noVoice(name: name, error)
    default: self = .unreadable(name: name, error)
    }
  }
}
