internal import Control
internal import Devices
internal import Linux
internal import Sounds
internal import Synchronization

/// The environment of this process while it opens a device: the environment of the requesting
/// program.
///
/// Libraries read the environment in the first milliseconds of a connection. After that they may
/// wait for a hung sound server without a limit. So an opening blocks other openings only until its
/// library has had time to read the environment.
enum TemporaryEnvironment {
  private struct State {
    /// A counter of openings. An opening that ends late must not release the environment of a later
    /// opening.
    var turn = 0
    var heldSince: Duration?
    /// The variables that are set for a requesting program.
    var names: Set<String> = []
  }

  private static let state = Mutex(State())
  /// The longest time that reading the environment takes on a busy machine.
  private static let patience = Duration.milliseconds(500)
  /// A wakeup that is signalled when an opening ends, or nil if it could not be created.
  private static let ended = try? Wakeup()

  /// The function that opens devices for the player, each in the environment of the requesting
  /// program.
  static let opener: DeviceOpener = { device, environment, request throws(DeviceError) in
    try with(environment) { () throws(DeviceError) in try PlaybackDevice(device, request) }
  }

  /// Runs `body` in an environment. Waits until the previous opening has ended or has had enough
  /// time to read its own environment.
  private static func with<Value: ~Copyable & Sendable, Failure: Error>(
    _ environment: PlayerEnvironment, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let turn = take(environment)
    defer {
      state.withLock { if $0.turn == turn { $0.heldSince = nil } }
      ended?.signal()
    }
    return try body()
  }

  private static func take(_ environment: PlayerEnvironment) -> Int {
    while true {
      let (turn, left) = state.withLock { state -> (Int?, Duration) in
        let now = KernelClock.monotonic.now
        let wait = state.heldSince.map { $0 + patience - now } ?? .zero
        if wait > .zero { return (nil, wait) }
        install(environment, removing: state.names.subtracting(environment.keys))
        state.names.formUnion(environment.keys)
        state.heldSince = now
        state.turn += 1
        return (state.turn, .zero)
      }
      if let turn { return turn }
      awaitEnd(upTo: left)
    }
  }

  /// Waits until an opening ends, or until `limit` has passed.
  private static func awaitEnd(upTo limit: Duration) {
    guard let ended else { return KernelClock.sleep(limit) }
    var poll = Poll(capacity: 1)
    poll.add(ended.number)
    _ = try? poll.wait(upTo: limit)
    // The caller checks the state after `clear`, so an end that was signalled before `clear` is not
    // missed.
    ended.clear()
  }

  /// Sets the variables of an environment. There is rarely a change, because the programs of a user
  /// usually have the same environment.
  private static func install(_ environment: PlayerEnvironment, removing gone: Set<String>) {
    var changes: [String: String?] = [:]
    for name in gone where Environment.value(of: name) != nil { changes[name] = .some(nil) }
    for (name, value) in environment
    where Environment.value(of: name).map(Path.init) != Path(value) {
      changes[name] = value
    }
    if !changes.isEmpty { Environment.exchange(changes) }
  }
}
