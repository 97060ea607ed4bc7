package import Control
package import JSON
package import Linux

/// The paths of the player's files: its socket, lock, record and log.
package struct PlayerPaths: Hashable, Sendable {
  /// The directories of the user.
  package var user: SessionPaths

  /// Creates the paths below the directories of a user.
  package init(_ user: SessionPaths) { self.user = user }

  /// The name of the socket. No recording can have this name.
  package static let socketName = "_player.sock"
  /// The file whose lock the player holds, so that only one player runs.
  package static let lock = "player.lock"
  /// The file whose lock a process holds while it starts a player.
  private static let startLock = "player-start.lock"

  /// The socket of a player that this process starts.
  package var socket: String { user.runtime + "/" + Self.socketName }
  /// The file for the messages of a player without a terminal.
  package var log: String { user.state + "/player.log" }
}

extension PlayerPaths {
  /// The record of the running player, or of a player that died. Nil if there is no record.
  package var record: PlayerRecord? {
    guard let directory = try? PrivateDirectory.open(user.state) else { return nil }
    return directory.value(of: PlayerRecord.file, upTo: PlayerRecord.largest)
  }

  /// The paths of the sockets at which the player may listen, the most likely path first.
  ///
  /// There can be two paths, because the player may have been started with another runtime
  /// directory, or without a runtime directory.
  package var sockets: [String] {
    guard let record, !record.socket.isSameName(as: socket) else { return [socket] }
    return [record.socket, socket]
  }

  /// Connects to the running player, even if it belongs to another installation of the program.
  /// Returns nil if no player runs.
  package func client(
    waitingUpTo limit: Duration = .seconds(5)
  ) throws(ControlError) -> ControlClient? {
    for path in sockets {
      if let client = try ControlClient.ifListening(at: path, waitingUpTo: limit) { return client }
    }
    return nil
  }

  /// The time limit for the start of a player. Even on a busy machine a start is faster.
  private static let longestStart = Duration.seconds(15)

  /// Takes the lock for starting a player, so that only one process starts a player. After that,
  /// the caller must check again whether a player runs, because another process may have started a
  /// player while this process waited for the lock.
  package func lockStart() throws -> FileLock {
    let directory = try PrivateDirectory.make(at: user.state)
    return try FileLock(Self.startLock, in: directory, waitingUpTo: Self.longestStart)
  }

  /// Starts a player, and waits until it listens or has ended. The caller must hold the lock of
  /// `lockStart`. Without this lock, several players could start at the same time, and all except
  /// one would wait for the lock `player.lock`.
  ///
  /// - Parameters:
  ///   - program: the path of the command.
  ///   - words: the additional arguments of the player.
  ///   - log: the descriptor for messages, or nil to drop them.
  package static func startPlayer(
    _ program: String, _ words: [String] = [], log: Int32? = nil
  ) throws(SystemError) {
    var spawn = Spawn(program, ["player", "--detached"] + words)
    spawn.startsSession = true
    spawn.directory = "/"
    let ends = try Descriptor.pipe()
    spawn.descriptors = [nil, nil, log, ends.writing.number]
    _ = try spawn.start()
    // Now only the player has the writing end of the pipe, so the pipe closes when the player ends.
    _ = consume ends.writing
    guard try ends.reading.wait(upTo: longestStart) else {
      throw SystemError("read", "player", errno: .timedOut)
    }
  }

  /// True while a player of this user runs on this machine, even if it cannot be reached.
  package var isHeld: Bool { lockIsHeld ?? false }

  /// True if certainly no player of this user runs on this machine: its lock is free, and no socket
  /// exists.
  package var isFree: Bool {
    lockIsHeld == false && (try? FileStatus(of: socket, following: false)) == nil
  }

  /// True while a player holds its lock, or nil if this cannot be determined.
  private var lockIsHeld: Bool? {
    guard let directory = try? PrivateDirectory.open(user.state) else { return nil }
    do throws(SystemError) {
      return try FileLock.isHeld(Self.lock, in: directory)
    } catch {
      return error.errno == .noSuchFile ? false : nil
    }
  }

  /// Publishes the path of the player's socket. Only the player may call this function, while it
  /// holds the lock `player.lock`.
  ///
  /// The record is not synchronized to the disk, because no player survives a power cut.
  package func publish(_ record: PlayerRecord) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: user.state)
    try DirectoryRefusal.of(
      user.state, directory.write(record, to: PlayerRecord.file, survivingPowerCuts: false))
  }

  /// Removes the record of a player that does not listen any more.
  package func withdraw() {
    guard let directory = try? PrivateDirectory.open(user.state) else { return }
    try? AtomicFile.removeLeftovers(of: PlayerRecord.file, in: directory)
    try? directory.remove(PlayerRecord.file)
  }
}

/// The record of a running player, in the home directory. With the record, clients find the player
/// even if they have another runtime directory.
package struct PlayerRecord: Hashable, Sendable {
  /// The process number of the player, on its own host.
  package let process: Int32
  /// The path of its socket.
  package let socket: String
  /// The host on which the player runs.
  package let host: Host

  /// Creates the record of a player, on this host by default.
  package init(process: Int32, socket: String, host: Host = .current) {
    self.process = process
    self.socket = socket
    self.host = host
  }

  /// The name of the file in the state directory.
  fileprivate static let file = "player.json"
  fileprivate static let largest = 16_384
}

extension PlayerRecord: JSONConvertible {
  /// Reads the output of `json`. Returns nil if a member is missing or invalid.
  package init?(json: JSONValue) {
    guard let process = json["pid"].flatMap(Int32.init(json:)), let socket = json["socket"]?.string,
      let host = json["host"].flatMap(Host.init(json:))
    else { return nil }
    self.init(process: process, socket: socket, host: host)
  }

  /// The content of the file `player.json`, with its schema.
  package var json: JSONValue {
    ["schema": 1, "pid": process.json, "socket": socket.json, "host": host.json]
  }
}
