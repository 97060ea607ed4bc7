internal import Audio
package import Control
internal import Devices
internal import Files
internal import JSON
internal import Linux
internal import Permission
internal import Recording
internal import Store

/// A session that records: its take, its socket, its record in the state directory, and the guard of its access.
///
/// It owns no process: its creator calls `run` on a thread, and the host reports signals and keys.
package final class LiveSession {
  /// The decisions of the session; used on the session's thread only.
  package let controller: SessionController
  private let identifier: SessionID
  private let store: SessionStore
  private let socket: SessionSocket
  private let guardian: PermissionGuard
  private var server: ControlServer
  private let stop: any StopRequest
  private let host: any SessionHost
  private let lock: FileLock
  /// Descriptors reserved for the end of the take.
  private let reserve: DescriptorReserve
  /// News from the start of the session for its user.
  private let news: [SessionNews]
  private var poll = Poll(capacity: 80)
  private var finish: TakeFinish?
  private var hasBegun = false
  private var shown = Duration.zero
  /// The lost frames that the warnings shown last were about.
  private var shownLoss: FrameCount = 0
  /// The moment of the last checks.
  private var checked = KernelClock.monotonic.now
  // Changed files are reported by the thread that finds them.
  private var warned: Set<SessionWarning.Kind> = [.changed]
  private var stall = Stall()
  private var turnedAway = 0

  /// The most refused connections that are reported; the log has to stay small.
  private static let mostTurnedAway = 16
  /// The time between two levels that are shown or sent.
  private static let pace = Duration.milliseconds(100)
  /// The time between two checks where it is calm.
  fileprivate static let calmPace = Duration.seconds(4)
  /// The free space, in seconds of the take, above which nothing but another program ends it soon.
  private static let ampleSpace = 60.0
  /// The time that a device has to stop, and a reader of the output to read the rest.
  private static let patience = Duration.seconds(2)

  init(
    _ take: LiveTake, _ start: SessionStart, _ guardian: PermissionGuard,
    _ server: consuming ControlServer, _ socket: SessionSocket, _ lock: consuming FileLock,
    _ reserve: DescriptorReserve, news: [SessionNews]
  ) {
    identifier = start.identifier
    store = start.store
    stop = start.stop
    host = start.host
    self.socket = socket
    self.guardian = guardian
    self.server = server
    self.lock = lock
    self.reserve = reserve
    self.news = news
    controller = SessionController(take, host) { () throws(TakeError) in try guardian.check() }
  }

  /// Runs until the file is closed, and returns the result; throws if no frame was captured.
  package func run() throws(TakeError) -> RecordingResult {
    recording.guardWriting()
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

extension LiveSession {
  private var take: LiveTake { controller.take }
  private var recording: Recording { take.recording }

  /// Waits for events, and handles them.
  private func serve() {
    poll.removeAll()
    let sources =
      [
        stop.number, recording.lossNumber,
        finish == nil ? recording.ended.descriptor.number : -1,
        finish?.done.descriptor.number ?? -1,
      ] + host.descriptors
    for number in sources { poll.add(number) }
    guardian.enlist(in: &poll)
    recording.leaveUnattended(isUnattended)
    let (controller, limit) = (controller, longestWait)
    server.serve(beside: &poll, upTo: limit) { controller.answer($0, $1) }
    obeyStop()
    if poll[1].contains(.readable) { recording.clearLoss() }
    if recording.isDoubted { settleDoubt() }
    if nextCheck <= KernelClock.monotonic.now { check() }
    if guardian.noticesChange(poll) { checkAccess() }
    host.wake(controller)
    controller.collect()
    for (ticket, reply) in controller.takeReplies() { server.answer(ticket, reply) }
    for peer in server.takeTurnedAway() where turnedAway < Self.mostTurnedAway {
      turnedAway += 1
      host.report(.turnedAway(peer))
    }
  }

  private var isHurried: Bool { !hasBegun || controller.owesReplies }
  private var isLive: Bool { host.isLooking || server.isWatched || controller.ending != nil }
  /// True while nobody waits for frames, levels or an answer; the standard output has a reader.
  private var isUnattended: Bool {
    !isHurried && !isLive && take.place != nil && take.plan.voice == nil
      && host.monitor?.isListening != true
  }

  /// True where whatever matters soon wakes the session by itself.
  private var isCalm: Bool {
    isUnattended && guardian.isToldOfAll && recording.lost == shownLoss && !stall.isSuspected
      && controller.freeSeconds.map { $0 > Self.ampleSpace } ?? false
  }

  private var nextCheck: Duration {
    let next = checked + (isCalm ? Self.calmPace : .seconds(1))
    return min(next, guardian.deadline ?? next)
  }

  private var longestWait: Duration {
    let check = nextCheck
    let pace: Duration = isHurried ? .milliseconds(10) : isLive ? Self.pace : Self.calmPace
    let next = min(check, server.deadline ?? check)
    return max(.milliseconds(1), min(pace, next - KernelClock.monotonic.now))
  }

  private func obeyStop() {
    stop.take()
    if stop.takeDoubt() { checkAccess() }
    if stop.hasCome { controller.end(stop.cause) }
  }

  /// The checks of each second, or of each fourth where it is calm.
  private func check() {
    checked = KernelClock.monotonic.now
    if guardian.isCheckDue() { checkAccess() }
    controller.accessUntil = guardian.accessUntil
    controller.freeBytes = take.place?.freeBytes
    if controller.ending == nil, let free = controller.freeBytes, free < take.plan.limits.free,
      !take.makeRoom(of: take.plan.limits.free - free)
    {
      controller.end(.diskFloor(free))
    }
    if controller.ending == nil, let place = take.place, !place.isNamed {
      controller.end(.fileRemoved(place.partPath))
    }
    socket.follow(&server)
    take.follow()
    // A device that never delivered is not waited for.
    let patience = hasBegun ? take.plan.reconnect ?? .zero : .zero
    if controller.ending == nil, stall.isOver(recording, allowing: .seconds(5) + patience) {
      recording.abandonCapture(.stalled(.seconds(5)))
    }
  }

  private func checkAccess() {
    if let loss = guardian.loss { controller.end(.access(loss)) }
  }

  /// Lets the writer continue after a standstill, or ends the take before it.
  private func settleDoubt() {
    guard let loss = guardian.loss else { return recording.settleDoubt() }
    controller.end(.access(loss))
    recording.cut()
  }

  private func show() {
    let now = KernelClock.monotonic.now
    guard now - shown >= Self.pace else { return }
    shown = now
    shownLoss = recording.progress.frames.lost
    if isLive {
      let status = controller.status
      if server.isWatched { server.publish(status.json.object ?? [:]) }
      host.show(status)
    }
    for warning in controller.warnings where warned.insert(warning.kind).inserted {
      host.report(.warning(warning))
    }
  }
}

extension LiveSession {
  /// Reports the first frame to the host; a host that has given up cancels the take.
  private func begin() throws(TakeError) {
    guard recording.captured > 0 else {
      if let end = recording.end, controller.ending == nil { throw failedStart(end) }
      return
    }
    hasBegun = true
    var status = controller.status
    status.warnings = news.map(host.words) + status.warnings
    let isWanted = host.began(status)
    for item in news { host.report(item) }
    if let delivery = take.plan.output.delivery { host.deliver(delivery.series) }
    // The starting program gave up before the first frame, and knows of no recording.
    if !isWanted { controller.end(.cancelled) }
  }

  private func failedStart(_ end: RecordingEnd) -> TakeError {
    controller.settle(end)
    take.place?.discard()
    cleanUp()
    return .noFirstFrame(device: take.plan.capture.device, controller.ending?.cause)
  }

  /// The reason why a session ended before its first frame.
  private func neverBegun(_ result: RecordingResult) -> TakeError {
    do throws(TakeError) {
      try guardian.check()
    } catch {
      return error
    }
    return .endedBeforeFirstFrame(result.message ?? result.reason.word)
  }

  /// Continues the ending; returns the result once the file is closed.
  private func advance() throws(TakeError) -> RecordingResult? {
    if let finish { return finish.done.clear() ? finish.result : nil }
    if let end = recording.end {
      controller.collect()
      controller.settle(end)
      reserve.release()
      store.releaseRoom(of: take.name)
      do throws(SystemError) {
        finish = try take.finish(controller.result)
      } catch {
        throw .step(.end, error)
      }
      return nil
    }
    guard let ending = controller.ending else { return nil }
    let passed = KernelClock.monotonic.now - ending.since
    if passed > Self.patience, recording.captureEnd == nil {
      recording.abandonCapture(.stalled(passed))
    }
    // The end of a file is awaited; a pipe that nobody reads is not.
    return passed > Self.patience * 2 && take.place == nil ? controller.undelivered : nil
  }

  /// Saves the result, then answers every client that waits for it.
  private func conclude(_ result: RecordingResult) {
    var result = result
    if hasBegun { keep(&result) }
    cleanUp(result)
    if hasBegun { host.ended(result, of: take.plan) }
    for ticket in controller.waiting { server.answer(ticket, .done(result.json.object ?? [:])) }
    for (ticket, reply) in controller.takeReplies() { server.answer(ticket, reply) }
    let deadline = KernelClock.monotonic.now + .seconds(1)
    while server.hasUnsent, KernelClock.monotonic.now < deadline {
      poll.removeAll()
      server.enlist(in: &poll)
      guard (try? poll.wait(upTo: Self.pace)) != nil,
        (try? server.serve(poll) { _, _ in .later }) != nil
      else { break }
    }
  }

  /// Adds the result to the catalogue, and leaves it for a later `wait`. No step depends on the one
  /// before, and a file that is not listed has that in its result.
  private func keep(_ result: inout RecordingResult) {
    do throws(DirectoryRefusal) {
      if result.reason != .cancelled, !isListed(result) { try store.catalogue(result) }
    } catch {
      result.add(host.words(for: .unlisted(error)), .incomplete)
    }
    if let delivery = result.delivery { host.deliver(delivery.series) }
    guard host.leavesResult else { return }
    do throws(DirectoryRefusal) {
      try store.leave(result, of: take.name)
    } catch {
      host.report(.resultLost(error, result))
    }
  }

  /// True if its file is in the catalogue already: the one after it was empty and is gone.
  private func isListed(_ result: RecordingResult) -> Bool {
    guard result.total != nil, let path = result.path else { return false }
    return store.takes.contains {
      $0.identifier == result.identifier && $0.path?.isSameName(as: path) == true
    }
  }

  private func cleanUp(_ result: RecordingResult? = nil) {
    // The record first: one without a socket looks like a session that cannot be reached.
    // A file that could not get its name is found by the record.
    if store.record(of: take.name)?.isLeft == true {
      store.releaseRoom(of: take.name)
    } else {
      store.withdraw(take.name)
    }
    socket.remove()
    if let failure = guardian.end(identifier, result) { host.report(.endUnaudited(failure)) }
  }
}

/// Notices a device that neither delivers nor answers.
struct Stall {
  private var captured = 0
  private var silence = AttendedTime(
    since: KernelClock.monotonic.now, longestLook: LiveSession.calmPace)

  /// True where the last look found no new frame.
  var isSuspected: Bool { silence.passed > .zero }

  /// True once the device has delivered no frame for `limit`; a new frame restarts the time.
  mutating func isOver(_ recording: Recording, allowing limit: Duration) -> Bool {
    let now = KernelClock.monotonic.now
    let captured = Int((recording.captured + recording.lost).value)
    silence.look(at: now)
    if captured != self.captured || recording.captureEnd != nil || recording.isReleased {
      self.captured = captured
      silence.restart(at: now)
    }
    return silence.passed > limit
  }
}
