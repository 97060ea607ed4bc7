internal import Audio
internal import CommandLine
internal import Control
internal import JSON
internal import Linux
internal import Recording

/// The main thread of a session: waits for everything that can happen, and does what it means.
final class SessionLoop {
  private let start: SessionStart
  private let desk: SessionDesk
  private let guardian: PermissionGuard
  private var server: ControlServer
  private let signals: Signals
  private let lock: FileLock
  private let second: Timer
  private let console: Console
  private let screen: Screen?
  private let channel: StartChannel?
  private var poll = Poll(capacity: 80)
  private var finish: TakeFinish?
  private var hasBegun = false
  private var shown = Duration.zero
  private var warned: [String] = []
  private var stall = Stall()

  /// How often levels are shown and sent.
  private static let pace = Duration.milliseconds(100)
  /// How long a device may take to stop, and a reader of the output to take what is left.
  private static let patience = Duration.seconds(2)

  init(
    _ start: SessionStart, _ take: LiveTake, _ guardian: PermissionGuard,
    _ server: consuming ControlServer, _ signals: consuming Signals, _ lock: consuming FileLock,
    _ console: Console, _ screen: Screen?, _ channel: StartChannel?
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
    self.start = start
    self.guardian = guardian
    self.server = server
    self.signals = signals
    self.lock = lock
    self.console = console
    self.screen = screen
    self.channel = channel
    desk = SessionDesk(take) { () throws(Failure) in try guardian.check() }
  }

  /// Runs until the file is closed, and returns what became of it.
  func run() throws(Failure) -> RecordingResult {
    while true {
      try serve()
      if !hasBegun { try begin() }
      if let result = try advance() {
        conclude(result)
        return result
      }
      show()
    }
  }
}

extension SessionLoop {
  private var recording: Recording { desk.take.recording }

  /// Waits, and hands out what came.
  private func serve() throws(Failure) {
    poll.removeAll()
    let sources = [
      signals.descriptor.number, guardian.number, second.descriptor.number,
      finish == nil ? recording.ended.descriptor.number : -1, finish?.done.descriptor.number ?? -1,
      screen?.number ?? -1,
    ]
    for number in sources { poll.add(number) }
    server.enlist(in: &poll)
    let desk = desk
    do throws(SystemError) {
      try poll.wait(upTo: longestWait)
      try server.serve(poll) { ticket, request in desk.answer(ticket, request) }
    } catch {
      throw Failure(.failed, Message("cannot wait for what happens: \(error)"))
    }
    obeySignals()
    if second.clear() > 0 { check() }
    if poll[1].contains(.readable) {
      guardian.clear()
      checkPermission()
    }
    for key in screen?.keys() ?? [] { obey(key) }
    desk.collect()
  }

  private var longestWait: Duration {
    let pace = hasBegun ? Self.pace : .milliseconds(10)
    let isLive = !hasBegun || screen != nil || server.isWatched || desk.ending != nil
    return min(isLive ? pace : .seconds(1), guardian.remaining ?? .seconds(1))
  }

  private func obeySignals() {
    while let arrival = signals.next() {
      if arrival.signal == .hangUp && screen == nil {
        // The terminal is none of its business; this means to read again what may have changed.
        checkPermission()
      } else {
        desk.end(.stopped)
      }
    }
  }

  private func obey(_ key: Screen.Key) {
    switch key {
    case .stop: desk.end(.stopped)
    case .mark: desk.mark("")
    case .toggle:
      do throws(Failure) {
        try desk.toggle()
      } catch {
        say(error.message.fact)
      }
    }
  }

  /// What is looked at each second.
  private func check() {
    checkPermission()
    desk.freeBytes = desk.take.place?.freeBytes
    if let free = desk.freeBytes, free < start.plan.limits.free {
      desk.end(.disk, "only \(ByteCount(free)) are left on the disk")
    }
    if (try? FileStatus(of: start.shelf.places.socket(of: start.name), following: false)) == nil,
      let server = try? start.serve()
    {
      self.server = server
    }
    let patience = start.plan.reconnect ?? .zero
    if desk.ending == nil, stall.isOver(recording, allowing: .seconds(5) + patience) {
      recording.abandonCapture(.stalled(.seconds(5)))
    }
  }

  private func checkPermission() {
    if let (reason, message) = guardian.ending { desk.end(reason, message) }
  }
}

extension SessionLoop {
  /// Tells whoever started it that the first frame is there.
  private func begin() throws(Failure) {
    guard recording.captured > 0 else {
      if let end = recording.end, desk.ending == nil { throw failedStart(end) }
      return
    }
    hasBegun = true
    let isWanted = channel?.began(desk.status) ?? true
    // Whoever started it gave up before it began, and knows of no recording.
    if !isWanted { desk.end(.cancelled) }
  }

  private func failedStart(_ end: RecordingEnd) -> Failure {
    desk.settle(end)
    desk.take.place?.discard()
    cleanUp()
    let why = desk.ending?.message ?? "it delivered nothing"
    let isDisk = desk.ending?.reason == .disk
    return Failure(
      isDisk ? .outputRefused : .device,
      Message("cannot record from", on: start.plan.capture.device, why: why))
  }

  /// Goes on with the ending; returns the result once all is done.
  private func advance() throws(Failure) -> RecordingResult? {
    if let finish { return finish.done.clear() ? finish.result : nil }
    if let end = recording.end {
      desk.collect()
      desk.settle(end)
      do throws(SystemError) {
        finish = try TakeFinish(desk.take, desk.events, desk.result)
      } catch {
        throw Failure(.failed, Message("cannot end the file: \(error)"))
      }
      return nil
    }
    guard let ending = desk.ending else { return nil }
    let passed = KernelClock.monotonic.now - ending.since
    if passed > Self.patience, recording.captureEnd == nil {
      recording.abandonCapture(.stalled(passed))
    }
    // A file is waited for; a pipe that nobody empties is not.
    return passed > Self.patience * 2 && desk.take.place == nil ? desk.result : nil
  }

  /// Leaves the result, then tells everybody who waits, then goes.
  private func conclude(_ result: RecordingResult) {
    screen?.clear()
    if screen == nil { try? start.shelf.leave(result, of: start.name) }
    if result.path != nil { try? start.shelf.catalogue(result) }
    cleanUp()
    for ticket in desk.waiting { server.answer(ticket, .done(result.json.object ?? [:])) }
    let deadline = KernelClock.monotonic.now + .seconds(1)
    while server.hasUnsent, KernelClock.monotonic.now < deadline {
      poll.removeAll()
      server.enlist(in: &poll)
      guard (try? poll.wait(upTo: Self.pace)) != nil,
        (try? server.serve(poll) { _, _ in .later }) != nil
      else { break }
    }
  }

  private func cleanUp() {
    start.removeSocket()
    start.shelf.withdraw(start.name)
    guardian.end(start.session)
  }

  private func show() {
    let now = KernelClock.monotonic.now
    guard now - shown >= Self.pace else { return }
    shown = now
    let status = desk.status
    if server.isWatched { server.publish(status.json.object ?? [:]) }
    for warning in status.warnings
    where !warned.contains(where: { $0.prefix(8) == warning.prefix(8) }) {
      warned.append(warning)
      say(warning)
    }
    screen?.draw(status)
  }

  private func say(_ words: String) {
    screen?.clear()
    console.warn(Message(words))
  }
}

/// Notices a device that neither delivers nor answers.
private struct Stall {
  private var captured = 0
  private var since = KernelClock.monotonic.now

  mutating func isOver(_ recording: Recording, allowing limit: Duration) -> Bool {
    let now = KernelClock.monotonic.now
    let captured = Int((recording.captured + recording.lost).value)
    if captured != self.captured || recording.captureEnd != nil {
      self.captured = captured
      since = now
    }
    return now - since > limit
  }
}
