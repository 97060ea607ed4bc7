internal import Control
internal import Devices
internal import Linux
internal import Sounds
internal import Synchronization

/// The environment of this process while a device is opened: that of the requesting program.
///
/// Libraries read it as they connect, within some milliseconds; then they may wait, for a frozen sound server
/// for ever. So an opening has the environment to itself, but not for longer than it takes to be read.
enum TemporaryEnvironment {
  private struct State {
    /// Counts the openings, so that a late end frees nothing that is another's.
    var turn = 0
    var heldSince: Duration?
    /// The variables that are set for a requesting program.
    var names: Set<String> = []
  }

  private static let state = Mutex(State())
  /// The longest time for reading the environment, on a busy machine.
  private static let patience = Duration.milliseconds(500)
  private static let pace = Duration.milliseconds(1)

  /// Opens devices for the player, each in the environment of the program that asked.
  static let opener: DeviceOpener = { device, environment, request throws(DeviceError) in
    try with(environment) { () throws(DeviceError) in try PlaybackDevice(device, request) }
  }

  /// Runs `body` in an environment, once the opening before is done or has read its own.
  private static func with<Value: ~Copyable & Sendable, Failure: Error>(
    _ environment: PlayerEnvironment, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let turn = take(environment)
    defer { state.withLock { if $0.turn == turn { $0.heldSince = nil } } }
    return try body()
  }

  private static func take(_ environment: PlayerEnvironment) -> Int {
    while true {
      let turn = state.withLock { state -> Int? in
        let now = KernelClock.monotonic.now
        if let since = state.heldSince, now - since < patience { return nil }
        install(environment, removing: state.names.subtracting(environment.keys))
        state.names.formUnion(environment.keys)
        state.heldSince = now
        state.turn += 1
        return state.turn
      }
      if let turn { return turn }
      KernelClock.sleep(pace)
    }
  }

  /// Mostly there is nothing to change: one user has one environment.
  private static func install(_ environment: PlayerEnvironment, removing gone: Set<String>) {
    var changes: [String: String?] = [:]
    for name in gone where Environment.value(of: name) != nil { changes[name] = .some(nil) }
    for (name, value) in environment where Environment.value(of: name) != value {
      changes[name] = value
    }
    if !changes.isEmpty { Environment.exchange(changes) }
  }
}
