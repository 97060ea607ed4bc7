internal import Audio
internal import CommandLine
internal import Control
internal import JSON
internal import Linux
internal import Recording
internal import Takes

/// The main thread of a session: waits for everything that can happen, and does what it means.
final class SessionLoop {
  let desk: SessionDesk
  let guardian: PermissionGuard
  var server: ControlServer
  private let signals: StopSignals
  private let lock: FileLock
  private let second: Timer
  let around: SessionSurroundings
  var poll = Poll(capacity: 80)
  var finish: TakeFinish?
  var hasBegun = false
  private var shown = Duration.zero
  // Of changed files the thread that finds them tells.
  private var warned: Set<SessionWarning.Kind> = [.changed]
  private var stall = Stall()
  private var turnedAway = 0

  /// Strangers of whom it is told; the log has to stay small.
  private static let mostTurnedAway = 16

  /// How often levels are shown and sent.
  static let pace = Duration.milliseconds(100)
  /// How long a device may take to stop, and a reader of the output to take what is left.
  static let patience = Duration.seconds(2)

  init(
    _ take: LiveTake, _ guardian: PermissionGuard, _ server: consuming ControlServer,
    _ signals: StopSignals, _ lock: consuming FileLock, _ around: SessionSurroundings
  ) throws(Failure) {
    do throws(SystemError) {
      let second = try Timer(on: .monotonic)
      try second.set(after: .seconds(1), every: .seconds(1))
      self.second = second
    } catch {
      take.recording.cut()
      take.place?.discard()
      throw Failure(.failed, Message("cannot keep time: \(error)"))
    }
    self.guardian = guardian
    self.server = server
    self.signals = signals
    self.lock = lock
    self.around = around
    desk = SessionDesk(take) { () throws(Failure) in
      try explained { () throws(TakeError) in try guardian.check() }
    }
  }

  /// Runs until the file is closed, and returns what became of it.
  func run() throws(Failure) -> RecordingResult {
    while true {
      serve()
      if !hasBegun { try begin() }
      if let result = try advance() {
        conclude(result)
        guard hasBegun else { throw neverBegun(result) }
        return result
      }
      show()
    }
  }
}

extension SessionLoop {
  var recording: Recording { desk.take.recording }

  /// Waits, and hands out what came.
  private func serve() {
    poll.removeAll()
    let sources = [
      signals.number, guardian.number, second.descriptor.number,
      finish == nil ? recording.ended.descriptor.number : -1, finish?.done.descriptor.number ?? -1,
      around.screen?.number ?? -1,
    ]
    for number in sources { poll.add(number) }
    server.enlist(in: &poll)
    let desk = desk
    do throws(SystemError) {
      try poll.wait(upTo: longestWait)
      try server.serve(poll) { ticket, request in desk.answer(ticket, request) }
    } catch {
      // Whatever the system refuses now, the recording goes on, and not in a hurry.
      KernelClock.sleep(.milliseconds(10))
    }
    obeySignals()
    let isPermissionOver = guardian.deadline.map { $0 <= KernelClock.monotonic.now } ?? false
    if second.clear() > 0 || isPermissionOver { check() }
    if poll[1].contains(.readable) {
      guardian.clear()
      checkPermission()
    }
    for key in around.screen?.keys() ?? [] { obey(key) }
    desk.collect()
    for (ticket, reply) in desk.takeReplies() { server.answer(ticket, reply) }
    for peer in server.takeTurnedAway() where turnedAway < Self.mostTurnedAway {
      turnedAway += 1
      around.say("turned away process \(peer.process) of user \(peer.user)")
    }
  }

  private var longestWait: Duration {
    let isHurried = !hasBegun || desk.owesReplies
    let isLive = around.screen != nil || server.isWatched || desk.ending != nil
    let pace: Duration = isHurried ? .milliseconds(10) : isLive ? Self.pace : .seconds(1)
    let deadlines = [guardian.deadline, server.deadline].compactMap(\.self)
    let left = deadlines.map { $0 - KernelClock.monotonic.now }.min()
    return max(.milliseconds(1), min(pace, left ?? pace))
  }

  private func obeySignals() {
    signals.take()
    if signals.takeHangUp() { checkPermission() }
    if signals.hasCome { desk.end(.stopped) }
  }

  private func obey(_ key: Screen.Key) {
    switch key {
    case .stop: desk.end(.stopped)
    case .mark: desk.mark("", for: nil)
    case .toggle:
      do throws(Failure) {
        try desk.toggle()
      } catch {
        around.say(error.message.fact)
      }
    }
  }

  /// What is looked at each second.
  private func check() {
    checkPermission()
    desk.freeBytes = desk.take.place?.freeBytes
    if let free = desk.freeBytes, free < desk.take.plan.limits.free {
      desk.end(.disk, "only \(ByteCount(free)) are left on the disk")
    }
    around.socket.follow(&server)
    // A device that never delivered is not waited for.
    let patience = hasBegun ? desk.take.plan.reconnect ?? .zero : .zero
    if desk.ending == nil, stall.isOver(recording, allowing: .seconds(5) + patience) {
      recording.abandonCapture(.stalled(.seconds(5)))
    }
  }

  private func checkPermission() {
    if let loss = guardian.loss { desk.end(loss.reason, loss.words) }
  }
}

extension SessionLoop {
  private func show() {
    let now = KernelClock.monotonic.now
    guard now - shown >= Self.pace else { return }
    shown = now
    let status = desk.status
    if server.isWatched { server.publish(status.json.object ?? [:]) }
    for warning in desk.warnings where warned.insert(warning.kind).inserted {
      around.say(warning.text)
    }
    around.screen?.draw(status)
  }
}
