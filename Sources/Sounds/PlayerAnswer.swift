package import Audio
package import Control

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
