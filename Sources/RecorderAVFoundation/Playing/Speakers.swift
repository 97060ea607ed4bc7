internal import RecorderKit
internal import Synchronization

/// The `Player` of each device, which mixes all sounds on that device.
enum Speakers {
  private static let players = Mutex<[String: Player]>([:])

  static func player(on device: String?) -> Player {
    guard let device else { return .shared }
    return players.withLock { players in
      if let player = players[device] { return player }
      let player = Player(on: Device(device))
      players[device] = player
      return player
    }
  }
}
