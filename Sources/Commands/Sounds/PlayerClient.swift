internal import Control
internal import JSON
internal import Linux
internal import Store

/// The client that commands use to reach this user's player.
struct PlayerClient: ~Copyable {
  private var client: ControlClient

  private init(_ client: consuming ControlClient) { self.client = client }

  /// Connects to the player, and starts it if it is not running.
  ///
  /// - Parameters:
  ///   - device: the device that a new player opens during its start.
  ///   - isLong: whether a new player opens the device with the period for long sounds. It is
  ///     evaluated only for a new player.
  static func started(
    opening device: String, forLong isLong: @autoclosure () -> Bool = false
  ) throws -> PlayerClient {
    if let client = try PlayerLauncher.nearest() { return PlayerClient(client) }
    let words = ["--device=\(device)"] + (isLong() ? ["--long"] : [])
    let paths = PlayerPaths(try .current(claiming: true))
    return PlayerClient(try PlayerLauncher.connect(paths, with: words))
  }

  /// Connects to the running player, or returns nil if there is none.
  static func running() throws -> PlayerClient? {
    guard let client = try PlayerLauncher.reachable(PlayerPaths(.current())) else { return nil }
    return PlayerClient(client)
  }

  /// Connects to the player within `limit`, or returns nil if none listens.
  static func listening(within limit: Duration) throws -> PlayerClient? {
    guard let client = try PlayerPaths(.current()).client(waitingUpTo: limit) else { return nil }
    return PlayerClient(client)
  }

  /// Sends a request and waits for the answer, without a time limit if `limit` is nil.
  mutating func ask(
    _ verb: PlayerVerb, _ arguments: JSONObject = [:],
    waitingUpTo limit: Duration? = .seconds(30), serving watch: ControlClient.Watch? = nil
  ) throws -> JSONObject {
    try client.ask(verb.rawValue, arguments, waitingUpTo: limit, serving: watch)
  }
}

/// The start of the player. Only one player is started, even if several processes need a player at
/// the same time.
enum PlayerLauncher {
  /// Connects to the player at the usual socket. This takes half as long as finding the player by
  /// its record. Returns nil if the player does not answer, runs in another container, or has to be
  /// replaced.
  static func nearest() throws -> ControlClient? {
    guard let paths = try? PlayerPaths(.current()),
      let client = try ControlClient.ifListening(at: paths.socket), client.sharesProcesses,
      !isLeftBehind(client.hello)
    else { return nil }
    return client
  }

  /// Connects to the player, and starts it if it is not running.
  ///
  /// - Parameter words: the additional arguments of a new player.
  static func connect(_ paths: PlayerPaths, with words: [String]) throws -> ControlClient {
    let lock = try Failure.context("cannot start the player") { try paths.lockStart() }
    defer { withExtendedLifetime(lock) {} }
    if !paths.isFree, let client = try reachable(paths, patience: .seconds(5)),
      let client = try usable(client)
    {
      return client
    }
    try start(paths, with: words)
    if let client = try ControlClient.ifListening(at: paths.socket) { return client }
    guard let client = try paths.client() else {
      throw ProcessLog(path: paths.log).failure(of: "the player")
    }
    return client
  }

  /// Returns the running player. But if the player was started from another program file, asks it
  /// to end. Returns nil if the player then ends; a player that is in use does not end.
  private static func usable(_ player: consuming ControlClient) throws -> ControlClient? {
    var client = player
    guard isLeftBehind(client.hello) else { return client }
    do throws(ControlError) {
      let answer = try client.ask(PlayerVerb.leave.rawValue)
      if answer["leaves"]?.bool == true { return nil }
    } catch {
      if error == .closed { return nil }
    }
    // Playback is never interrupted. If the older player does not end, it plays this sound too.
    return client
  }

  /// Returns whether the player was started from a different program file than a new player would
  /// be.
  private static func isLeftBehind(_ hello: Hello) -> Bool {
    let status = try? FileStatus(of: ExecutablePath.current())
    return status.map { hello.build != $0.identity } ?? false
  }

  /// Connects to the running player, or returns nil if there is none. Throws if a player is running
  /// but cannot be reached.
  ///
  /// - Parameter patience: the time limit for the end of a player that has removed its record.
  static func reachable(
    _ paths: PlayerPaths, patience: Duration = .seconds(1)
  ) throws -> ControlClient? {
    let began = KernelClock.monotonic.now
    while true {
      if let client = try paths.client() { return client }
      guard paths.isHeld else { return nil }
      let limit: Duration =
        switch paths.record?.host.relation(to: .current) {
        case .elsewhere?: .zero
        case .here?, .before?: .seconds(1)
        case nil: patience
        }
      guard KernelClock.monotonic.now - began < limit else {
        throw paths.unreachable
      }
      KernelClock.sleep(.milliseconds(20))
    }
  }

  private static func start(_ paths: PlayerPaths, with words: [String]) throws {
    try Failure.context("cannot start the player") {
      let log = try ProcessLog(path: paths.log).open()
      try PlayerPaths.startPlayer(ExecutablePath.current(), words, log: log.number)
    }
  }
}

extension PlayerClient {
  /// The failure of a command that cannot read the answer of the running player.
  static var otherVersion: Failure {
    Failure(
      .failed, "the running player is from another version of recorder",
      advice: "stop its sounds: recorder sound stop --all; a minute later, try again")
  }
}

extension PlayerPaths {
  /// The failure of a command that cannot reach the running player.
  var unreachable: Failure {
    guard let record else {
      return Failure(
        .failed, "the player of this user cannot be reached from here",
        advice: "the player was started with another XDG_RUNTIME_DIR: set the same directory, "
          + "or wait until the player ends, after a minute without a sound, or 10 minutes if "
          + "one is paused")
    }
    guard record.host.sharesProcesses(with: .current) else {
      return Failure(
        .failed,
        "the player of this user runs on \(quoted(record.host.name)), and cannot be reached from here",
        advice: "stop its sounds there; a minute later, a player can start here")
    }
    return Failure(
      .failed,
      "the player of this user (process \(record.process)) cannot be reached at "
        + quoted(record.socket), advice: "\"kill -TERM \(record.process)\" ends it")
  }
}
