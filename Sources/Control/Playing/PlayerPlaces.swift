package import Linux

/// Where the player of a user is found, and what it leaves.
package struct PlayerPlaces: Hashable, Sendable {
  /// What survives the player.
  package let state: String
  /// Its socket only.
  package let runtime: String

  package init(state: String, runtime: String) {
    self.state = state
    self.runtime = runtime
  }

  /// This user's.
  package static func current() throws(DirectoryRefusal) -> PlayerPlaces {
    let sessions = try SessionPlaces.current()
    return PlayerPlaces(state: sessions.state, runtime: sessions.runtime)
  }

  /// The name of the socket; no recording can be called so.
  package static let socketName = "_player.sock"
  /// The file whose lock the one player holds.
  package static let lock = "player.lock"
  /// The file whose lock is held by who starts a player.
  package static let startLock = "player-start.lock"
  /// What the player remembers of each sound: its volume, and whether it is muted.
  package static let memory = "sounds.json"

  /// The socket of the player.
  package var socket: String { runtime + "/" + Self.socketName }
  /// What the player says where nobody sees it.
  package var log: String { state + "/player.log" }
}
