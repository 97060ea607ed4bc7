internal import CommandLine
internal import Control
internal import JSON
internal import Linux
internal import Sounds
internal import Store

/// The main thread of the player: waits for programs, devices and sounds, and handles their events.
final class PlayerLoop {
  private let player: Player
  private let controller: PlayerController
  private var socket: PlayerSocket
  private var server: ControlServer
  private let signals: Signals
  private let idle: Duration
  private var poll = Poll(capacity: 600)
  private var busy = KernelClock.monotonic.now
  private var shown = Duration.zero

  /// The time between two events for the clients that watch.
  private static let pace = Duration.milliseconds(100)

  /// - Parameter opening: a device that is being opened already, for the first sound.
  init(
    _ signals: consuming Signals, _ opening: OutputOpening?, idle: Duration
  ) throws(Failure) {
    let paths: PlayerPaths
    do throws(DirectoryRefusal) {
      paths = try .current(claiming: true)
    } catch {
      throw Failure(unusable: error)
    }
    let socket = try PlayerSocket(paths)
    server = try socket.open()
    self.socket = socket
    self.signals = signals
    self.idle = idle
    player = try Self.player(paths, opening)
    controller = PlayerController(player)
  }

  private static func player(
    _ paths: PlayerPaths, _ opening: OutputOpening?
  ) throws(Failure) -> Player {
    var settings = PlayerSettings(memory: paths.state, bundled: BundledSounds.directory)
    settings.decoder = ConfinedDecoder.self
    settings.opener = TemporaryEnvironment.opener
    do throws(SoundError) {
      return try Player(settings, opening)
    } catch {
      throw Failure(error)
    }
  }

  /// Runs until it has been idle for long, or a signal ends it.
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
    server.enlist(in: &poll)
    let controller = controller
    do throws(SystemError) {
      try poll.wait(upTo: longestWait)
      try server.serve(poll) { ticket, request in controller.answer(ticket, request) }
    } catch {
      // Whatever the system refuses now, the playback continues; the sleep avoids a busy loop.
      KernelClock.sleep(.milliseconds(10))
    }
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

  /// Answers requests to make room for a player of another version; true to end. It stays while a
  /// sound would be lost, or while another client is connected, which may be about to ask.
  private func makesRoom() -> Bool {
    let asking = controller.takeLeaving()
    if asking.isEmpty { return false }
    let leaves = player.isAtRest && server.connectionCount == 1
    for ticket in asking { server.answer(ticket, .done(["leaves": leaves.json])) }
    return leaves
  }

  /// True once no request has come for long; a paused sound extends the time.
  private var isOver: Bool {
    let now = KernelClock.monotonic.now
    if player.isBusy || server.connectionCount > 0 { busy = now }
    player.closeOutputs(idleFor: idle / 3)
    return now - busy > (player.isPaused ? max(idle, .seconds(600)) : idle)
  }
}
