internal import Control
internal import JSON
internal import Linux
internal import Sounds
internal import Store

/// `player`: the process that plays for all programs of a user.
package enum PlayerCommand: RunnableCommand {
  /// The subcommand that starts the player.
  package static var words: [String] { ["player"] }

  static let detached = Flag("detached", summary: "Report to descriptor 3 when ready")
  static let device = Option<Text>("device", summary: "Device to open at the start")
  static let long = Flag("long", summary: "Open it for a long sound")
  static let idle = Option<Duration>(
    "idle", summary: "End after this long without a sound (default 60s)")

  /// The description for the parser. No help page lists the command.
  package static var command: Command {
    Command(
      words, section: nil, summary: "Play for all programs of this user",
      options: [OptionGroup("Options", [detached, device, long, idle])])
  }

  /// Runs the player and ends the process. A failure is printed on stderr, which is a log file if
  /// the launcher started the player.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    // The signals are blocked before any thread starts, because threads inherit the mask.
    let signals = try Signals([.interrupt, .terminate, .quit, .hangUp])
    do {
      // Opening the device takes longer than the other steps, so another thread opens it meanwhile.
      let opening = try first(arguments[device]?.value, forLong: arguments[long])
      let loop = try PlayerLoop(signals, opening, idle: arguments[idle] ?? .seconds(60))
      if arguments[detached] { tellReady() }
      loop.run()
      // `exit` is not used, because a thread may be in a library call that never returns.
      Program.end(0)
    } catch {
      let failure = Failure(explaining: error)
      console.complain(failure.message)
      Program.end(failure.code.rawValue)
    }
  }

  private static func first(_ device: String?, forLong isLong: Bool) throws -> OutputOpening? {
    guard let device else { return nil }
    let environment = try PlayerEnvironment.current()
    return try OutputOpening(
      device, environment, forLong: isLong, by: TemporaryEnvironment.opener)
  }

  private static func tellReady() {
    let channel = Descriptor(owning: 3)
    try? channel.writeAll([UInt8(ascii: "\n")].span)
  }
}

/// The main loop of the player. It waits for programs, devices and sounds, and handles their
/// events.
private final class PlayerLoop {
  private let player: Player
  private let controller: PlayerController
  private var socket: PlayerSocket
  private var server: ControlServer
  private let signals: Signals
  private let idle: Duration
  private var poll = Poll(capacity: 600)
  private var busy = KernelClock.monotonic.now
  private var shown = Duration.zero

  /// The time between two status events for watching clients.
  private static let pace = Duration.milliseconds(100)

  /// - Parameter opening: the device that is already being opened for the first sound, or nil.
  init(_ signals: consuming Signals, _ opening: OutputOpening?, idle: Duration) throws {
    let paths = try PlayerPaths(.current(claiming: true))
    let socket = try PlayerSocket(paths)
    server = try socket.open()
    self.socket = socket
    self.signals = signals
    self.idle = idle
    player = try Self.player(paths, opening)
    controller = PlayerController(player)
  }

  private static func player(_ paths: PlayerPaths, _ opening: OutputOpening?) throws -> Player {
    var settings = PlayerSettings(memory: paths.user.state, bundled: BundledSounds.directory)
    settings.decoder = openDecoder
    settings.opener = TemporaryEnvironment.opener
    return try Player(settings, opening)
  }

  /// Returns when the player has been idle for its time limit, when it makes room for a player of
  /// another version, or when a signal arrives.
  func run() {
    while true {
      serve()
      player.advance()
      reply()
      if signals.next() != nil { break }
      show()
      if isOver || makesRoom() { break }
    }
    socket.remove()
    player.end()
    reply()
  }

  private func serve() {
    poll.removeAll()
    poll.add(signals.descriptor.number)
    for number in player.descriptors { poll.add(number) }
    let (controller, limit) = (controller, longestWait)
    server.serve(beside: &poll, upTo: limit) { controller.answer($0, $1) }
    controller.abandon(unless: { server.isConnected($0) })
    if !socket.isThere { try? socket.reopen(&server) }
  }

  private var longestWait: Duration {
    let deadlines = [player.deadline, server.deadline].compactMap(\.self)
    let left = deadlines.min().map { $0 - KernelClock.monotonic.now }
    return max(
      .milliseconds(1), min(left ?? .seconds(1), server.isWatched ? Self.pace : .seconds(1)))
  }

  private func reply() {
    for (ticket, reply) in controller.takeReplies() { server.answer(ticket, reply) }
  }

  private func show() {
    let now = KernelClock.monotonic.now
    guard server.isWatched, now - shown >= Self.pace else { return }
    shown = now
    server.publish(player.status.json)
  }

  /// Answers the requests to make room for a player of another version. Returns whether this player
  /// ends. The player continues if a sound would be lost. It also continues if another client is
  /// connected, because that client may be about to send a request.
  private func makesRoom() -> Bool {
    let asking = controller.takeLeaving()
    if asking.isEmpty { return false }
    let leaves = player.isAtRest && server.connectionCount == 1
    for ticket in asking { server.answer(ticket, .done(["leaves": leaves.json])) }
    return leaves
  }

  /// Whether the player has been idle for its time limit. A paused sound extends the limit. Also
  /// closes devices that are idle.
  private var isOver: Bool {
    let now = KernelClock.monotonic.now
    if player.isBusy || server.connectionCount > 0 { busy = now }
    player.closeOutputs(idleFor: idle / 3)
    return now - busy > (player.isPaused ? max(idle, .seconds(600)) : idle)
  }
}
