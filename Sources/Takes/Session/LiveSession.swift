internal import Audio
package import Control
internal import Devices
internal import Files
internal import JSON
internal import Linux
internal import Recording
internal import Store

/// A session that records: its take, its socket, its record in the state directory, and the watch
/// of its microphone access.
///
/// It does not own its process. The caller of `run` supplies the thread, and the host handles
/// signals and keys.
package final class LiveSession {
  /// The controller of the session. Only the session's thread uses it.
  package let controller: SessionController
  private let published: PublishedSession
  private let watch: AccessWatch
  private var server: ControlServer
  private let stop: any StopRequest
  private let host: any SessionHost
  private let lock: FileLock
  /// Descriptors reserved for the end of the take.
  private let reserve: DescriptorReserve
  /// News for the user from the start of the session.
  private let news: [SessionNews]
  private var poll = Poll(capacity: 80)
  private var finish: TakeFinish?
  private var hasBegun = false
  private var shown = Duration.zero
  /// The number of lost frames when the warnings were last shown.
  private var shownLoss: FrameCount = 0
  /// The time of the last checks.
  private var checked = KernelClock.monotonic.now
  // Warnings about changed files are not reported here, but by the thread that finds the changes.
  private var warned: Set<SessionWarning.Kind> = [.changed]
  private var stall = Stall(checkedEvery: calmPace)
  /// The time when the wait for the missing device of a required track ends, or nil if no such
  /// device is missing.
  private var absence: Duration?
  private var turnedAway = 0

  /// The largest number of refused connections to report. The limit keeps the log small.
  private static let mostTurnedAway = 16
  /// The time between two updates of the levels.
  private static let pace = Duration.milliseconds(100)
  /// The time between two checks while the session is calm.
  private static let calmPace = Duration.seconds(4)
  /// The free space above which the checks can be less frequent, in seconds of recording. The take
  /// alone cannot use up this space between two checks.
  private static let ampleSpace = 60.0
  /// The longest wait for the device to stop. After that, the reader of stdout has the same time to
  /// read the remaining frames.
  private static let patience = Duration.seconds(2)

  init(
    _ take: LiveTake, _ published: PublishedSession, _ server: consuming ControlServer,
    _ lock: consuming FileLock, _ reserve: DescriptorReserve, until stop: any StopRequest,
    news: [SessionNews]
  ) {
    self.published = published
    (watch, host) = (published.watch, published.host)
    self.stop = stop
    self.server = server
    self.lock = lock
    self.reserve = reserve
    self.news = news
    controller = SessionController(
      take, host,
      SessionAccess(
        takeLosses: {
          let access = published.watch.takeLosses { published.host.report(.endUnaudited($0)) }
          if !access.isComplete { published.note(access.losses) }
          return access
        }, check: watch.check, reader: published.access))
    controller.accessUntil = watch.accessUntil
  }

  /// Runs until the file is closed, and returns the result. Throws if no frame was captured.
  package func run() throws -> RecordingResult {
    // Close the connections of the readers even if the take fails.
    defer { take.taps.close() }
    while true {
      serve()
      if !hasBegun { try begin() }
      if let result = try advance() {
        let kept = conclude(result)
        guard hasBegun else { throw neverBegun(kept) }
        return kept
      }
      show()
    }
  }
}

extension LiveSession {
  private var take: LiveTake { controller.take }
  private var recording: Recording { take.recording }

  /// Waits for events and handles them.
  private func serve() {
    poll.removeAll()
    let sources =
      [
        stop.number, recording.lossNumber,
        finish == nil ? recording.ended.descriptor.number : -1,
        finish?.done.descriptor.number ?? -1,
      ] + host.descriptors
    for number in sources { poll.add(number) }
    watch.enlist(in: &poll)
    take.taps.enlist(in: &poll)
    recording.leaveUnattended(isUnattended)
    recording.guardWriting(by: watch.number, mounts: watch.mounts, until: watch.deadline)
    let (controller, limit) = (controller, longestWait)
    server.serve(beside: &poll, upTo: limit) { controller.answer($0, $1) }
    take.taps.flush()
    obeyStop()
    if poll[1].contains(.readable) { recording.clearLoss() }
    // Make the writer wait before `noticesChange` is called. After this call, the descriptor does
    // not show the change any more, so the writer could not detect it.
    let isPending = watch.isPending(poll)
    if isPending { recording.hold() }
    let isChanged = watch.noticesChange(poll)
    if recording.isDoubted || isChanged {
      settleDoubt()
    } else if isPending {
      recording.settleDoubt()
    }
    if nextCheck <= KernelClock.monotonic.now { check() }
    followTracks()
    host.wake(controller)
    for (ticket, reply) in controller.takeReplies() { server.answer(ticket, reply) }
    for peer in server.takeTurnedAway() where turnedAway < Self.mostTurnedAway {
      turnedAway += 1
      host.report(.turnedAway(peer))
    }
  }

  private var isHurried: Bool { !hasBegun || controller.owesReplies }
  private var isLive: Bool { host.isLooking || server.isWatched || controller.ending != nil }
  /// Whether no client, screen or monitor waits for frames, levels or an answer. Always false for
  /// voice activation, and for a take to stdout, because that take has a reader.
  private var isUnattended: Bool {
    !isHurried && !isLive && take.partFile != nil && take.plan.voice == nil
      && !take.taps.isListening
  }

  /// Whether every important change would wake the session, so that the session can check less
  /// often.
  private var isCalm: Bool {
    isUnattended && watch.isToldOfAll && recording.lost == shownLoss && !stall.isSuspected
      && controller.freeSeconds.map { $0 > Self.ampleSpace } ?? false
  }

  private var nextCheck: Duration {
    let next = checked + (isCalm ? Self.calmPace : .seconds(1))
    return min(next, watch.deadline ?? next, absence ?? next)
  }

  private var longestWait: Duration {
    let check = nextCheck
    let pace: Duration = isHurried ? .milliseconds(10) : isLive ? Self.pace : Self.calmPace
    let next = min(check, server.deadline ?? check)
    return max(.milliseconds(1), min(pace, next - KernelClock.monotonic.now))
  }

  private func obeyStop() {
    stop.take()
    if stop.takeDoubt() { controller.followAccess() }
    if stop.hasCome { controller.end(stop.cause) }
  }

  /// Performs the periodic checks: every second, or every 4 s while the session is calm.
  private func check() {
    checked = KernelClock.monotonic.now
    if watch.isCheckDue() { controller.followAccess() } else { controller.followReaders() }
    controller.accessUntil = watch.accessUntil
    controller.freeBytes = take.partFile?.freeBytes
    if controller.ending == nil, let free = controller.freeBytes, free < take.plan.limits.free,
      !take.makeRoom(of: take.plan.limits.free - free)
    {
      controller.end(.diskFloor(free))
    }
    if controller.ending == nil, let path = take.partFile?.lostPath {
      controller.end(.fileRemoved(path))
    }
    if controller.ending == nil, recording.isFullOfLosses { controller.end(.duration) }
    published.socket.follow(&server)
    take.follow()
    if controller.ending == nil, !controller.isArmed { take.noteDevices() }
    // Do not wait for the reconnection of a device that never delivered a frame.
    let patience = hasBegun ? take.plan.reconnect ?? .zero : .zero
    if controller.ending == nil, stall.isOver(recording, allowing: patience) {
      recording.abandonCapture(.stalled(recording.longestSilence))
    }
  }

  /// Checks the access before the writer continues. If the access is lost, the take ends at the
  /// time of the loss. If this time is unknown, the take ends with the frames that are already
  /// written.
  private func settleDoubt() {
    if !controller.followAccess(), controller.ending?.cause.lossAge == nil {
      recording.cut(since: nil)
    }
    recording.settleDoubt()
  }

  /// Ends the take if the device of a required track has been missing for too long.
  private func followTracks() {
    let required = take.plan.capture.required
    let track =
      required.isEmpty
      ? nil
      : controller.take.absent.first { track in
        required.contains { track.name?.isSameName(as: $0) == true }
      }
    guard let track, controller.ending == nil else { return absence = nil }
    let now = KernelClock.monotonic.now
    let end = absence ?? now + (take.plan.reconnect ?? .zero)
    absence = end
    if end <= now { controller.end(.absent(track)) }
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
    let warnings = controller.warnings
    for warning in warnings where warned.insert(warning.kind).inserted {
      host.report(.warning(warning))
    }
    // Forget the warning about a device that has returned, because it may disappear again.
    for case .track(let track) in warned.subtracting(warnings.map(\.kind)) {
      warned.remove(.track(track))
      if !controller.isSilenced(track) { host.report(.warning(.returned(track))) }
    }
  }
}

extension LiveSession {
  /// Reports the first frame to the host. If the host has given up waiting, the take is cancelled.
  private func begin() throws {
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
    // The program that started the take stopped waiting before the first frame, so it does not know
    // that the take has begun.
    if !isWanted { controller.end(.cancelled) }
  }

  private func failedStart(_ end: RecordingEnd) -> TakeError {
    controller.determineCause(of: end)
    try? take.partFile?.discard()
    published.withdraw()
    return .noFirstFrame(device: take.plan.capture.tracks.devices, controller.ending?.cause)
  }

  /// Returns the reason why the session ended before its first frame.
  private func neverBegun(_ result: RecordingResult) -> any Error {
    do {
      try watch.check()
    } catch {
      return error
    }
    return TakeError.endedBeforeFirstFrame(result.message ?? result.reason.word)
  }

  /// Performs the next step of the end of the take. Returns the result once the file is closed, or
  /// else nil.
  private func advance() throws -> RecordingResult? {
    if let finish { return finish.done.clear() ? finish.result : nil }
    if let end = recording.end {
      controller.determineCause(of: end)
      take.taps.end()
      reserve.release()
      published.store.sessions.releaseRoom(of: take.name)
      finish = try take.finish(controller.result)
      return nil
    }
    guard let ending = controller.ending else { return nil }
    let passed = KernelClock.monotonic.now - ending.since
    if passed > Self.patience, recording.captureEnd == nil {
      recording.abandonCapture(.stalled(passed))
    }
    // Wait until a file is finished, but do not wait for a pipe whose reader has stopped reading.
    return passed > Self.patience * 2 && take.partFile == nil ? controller.undelivered : nil
  }

  /// Saves the result, then answers all clients that wait for it. Finally sends the remaining
  /// frames to the readers of the take, for at most 1 s. Returns the saved result. If the take
  /// could not be added to the catalogue, the saved result reports this.
  private func conclude(_ result: RecordingResult) -> RecordingResult {
    take.taps.end()
    defer { take.taps.drain(upTo: .seconds(1), patience: Self.pace * 2) }
    var result = result
    if hasBegun { published.keep(&result) }
    published.withdraw(result)
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
    return result
  }
}
