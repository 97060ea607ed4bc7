internal import RecorderKit
internal import Synchronization

/// The `Player` of each device, which mixes all sounds on that device.
enum Speakers {
  private static let players = Mutex<[Device: Player]>([:])

  static func player(on device: String?) -> Player {
    guard let device else { return .shared }
    let key = Device(device)
    return players.withLock { players in
      if let player = players[key] { return player }
      let player = Player(on: key)
      players[key] = player
      return player
    }
  }
}
