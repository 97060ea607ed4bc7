internal import Audio
package import Control
internal import JSON
internal import Linux
internal import Permission
internal import Recording

/// The access of a session to its tracks, and the access of the programs that read these tracks.
struct SessionAccess {
  /// Returns the new losses of access, and whether all services are lost.
  let takeLosses: () -> (losses: [AccessLoss], isComplete: Bool)
  /// Throws if the access is lost.
  let check: () throws -> Void
  /// Returns the access of a client to tracks, for a reader with this identifier and process.
  let reader: (Client, SessionID, Int32?, [Track]) -> ReaderAccess
}

/// The decisions of a session: its answers to requests and the reason for its end.
///
/// All calls must come from the session's thread.
package final class SessionController {
  /// A decided end of a session.
  package struct Ending {
    /// The first cause, or a later failure of the device or the disk.
    package fileprivate(set) var cause: EndCause
    /// The time of the decision, on the monotonic clock.
    package let since = KernelClock.monotonic.now
  }

  /// The take that the session records.
  package let take: LiveTake
  /// The decided end, or nil while the session records.
  package private(set) var ending: Ending?
  /// The free space on the disk in bytes, or nil for stdout and if the system does not report it.
  var freeBytes: Int64?
  /// The time since 1970 at which the microphone access ends, in whole seconds, or nil if it has no
  /// end.
  var accessUntil: Duration?
  /// The clients that wait for the result.
  private(set) var waiting: [Ticket] = []
  /// The clients and the host that wait for the effects of requests.
  private var waiters = SessionWaiters()
  /// Whether the recording is paused. Frames are then discarded.
  package private(set) var isPaused = false
  private var isTriggered = false
  /// The limits of the plan, with the current limit of the duration.
  private(set) var limits: RecordingLimits
  let host: any TakeHost
  /// The tracks that lost their permission.
  private(set) var silenced: [(tracks: TrackSet, loss: AccessLoss)] = []
  let access: SessionAccess

  /// A controller of a take that is being recorded.
  init(_ take: LiveTake, _ host: any TakeHost, _ access: SessionAccess) {
    self.take = take
    limits = take.plan.limits
    self.host = host
    self.access = access
  }

  /// Silences the tracks that have lost their permission, or ends the take and returns false if all
  /// tracks have lost it.
  @discardableResult
  package func followAccess() -> Bool {
    defer { followReaders() }
    let (losses, isComplete) = access.takeLosses()
    if isComplete, let loss = losses.first {
      end(.access(loss))
      return false
    }
    for loss in losses {
      let tracks = take.plan.capture.tracks.set { $0.service == loss.decision.service }
      take.recording.silence(tracks, loss.cause, since: loss.age)
      silenced.append((tracks, loss))
    }
    return true
  }

  /// Throws if no track has the permission.
  private func requireAccess() throws {
    followAccess()
    try access.check()
  }

  /// Ends the recording. Only the first cause counts.
  package func end(_ cause: EndCause) {
    guard ending == nil else { return }
    ending = Ending(cause: cause)
    if case .access(let loss) = cause { return take.recording.cut(since: loss.age) }
    switch cause.reason {
    // Frames in the buffer of the device are not recorded.
    case .cancelled, .discarded, .disk: take.recording.cut()
    default: take.recording.stop()
    }
  }

  /// Replaces an orderly end by a failure of the device or the disk that happened while the session
  /// was ending.
  private func amend(_ cause: EndCause) {
    if case .stopped = ending?.cause { ending?.cause = cause }
  }

  /// Pauses the recording. If it is already paused, only closes the device.
  ///
  /// - Parameter releasing: true to close the device until the recording resumes.
  package func pause(releasing: Bool = false) {
    if !isPaused || releasing { take.recording.pause(releasing: releasing) }
    isPaused = true
  }

  /// Resumes the recording. Throws if the microphone access was lost.
  ///
  /// - Parameter instant: the time on the monotonic clock at which an open device resumes, or nil
  ///   to resume now.
  package func resume(at instant: Duration? = nil) throws {
    guard isPaused else { return }
    try requireAccess()
    take.recording.resume(at: instant)
    isPaused = false
  }

  /// Changes the length at which the take ends. Nil removes the limit.
  func limit(to duration: Duration?) {
    limits.duration = duration
    take.recording.setLimit(duration.map { FrameCount($0, at: take.input.rate) })
  }

  /// Pauses or resumes. Throws like `resume`.
  package func toggle() throws {
    if isPaused { try resume() } else { pause() }
  }

  /// Triggers an armed take. The writer starts shortly after.
  ///
  /// - Parameter instant: the time of the first frame on the monotonic clock, or nil to keep the
  ///   whole pre-roll.
  package func trigger(since instant: Duration? = nil) {
    take.recording.trigger(since: instant)
    isTriggered = true
  }

  /// Requests a new file, in which the take continues shortly after. Does nothing while the take is
  /// armed. Throws if the session is ending or has no file.
  package func split() throws {
    guard ending == nil else { throw TakeError.ending(take.name) }
    guard take.partFile != nil else { throw TakeError.noFiles }
    if !isArmed { take.recording.split() }
  }

  /// Sets a mark. `waiter` receives the position of the mark once it is known.
  package func mark(_ text: MarkText, for waiter: MarkWaiter = .nobody) {
    waiters.add(waiter)
    take.recording.mark(text.text)
  }

  /// Whether the take waits for a sound or a trigger.
  var isArmed: Bool { !isTriggered && take.recording.progress.isArmed }

  /// Whether a client waits for the result or has received it.
  package var isAwaited: Bool { !waiting.isEmpty }

  /// Whether a client or the host waits for the effect of a request or the position of a mark.
  var owesReplies: Bool { !waiters.isEmpty }
}

extension SessionController {
  /// Answers a request, or keeps its ticket for a later reply.
  package func answer(_ ticket: Ticket, _ request: Control.Request) -> Answer {
    do {
      switch SessionVerb(rawValue: request.verb) {
      case .status: return .reply(.done(current))
      case .watch: return .watch(.done(current))
      case .stop: end(.stopped)
      case .cancel: end(request.arguments["delete"]?.bool == true ? .cancelled : .discarded)
      case .wait: break
      case .split:
        // While the take is armed, a split has no effect that could be awaited.
        guard !isArmed else { return try carryOut(split) }
        return try carryOut(for: ticket, refusals: take.refusals.count, split)
      case .mark: return try mark(request, for: ticket)
      case .pause: return try carryOut(for: ticket) { pause() }
      case .resume: return try carryOut(for: ticket) { try resume() }
      case .toggle: return try carryOut(for: ticket, toggle)
      case .trigger: return try carryOut(for: ticket) { trigger() }
      // Another program has revoked a permission. The session checks its access itself, because it
      // knows the cards that it has opened.
      case .permission: return try carryOut(requireAccess)
      case .tap: return try tap(request, for: ticket)
      case nil: return try carryOut { throw TakeError.unknownRequest(request.verb) }
      }
      waiting.append(ticket)
      return .later
    } catch {
      return .reply(.refused(host.refusal(for: error)))
    }
  }

  /// Carries out a request and answers it immediately. Throws if the session is ending.
  private func carryOut(_ order: () throws -> Void) throws -> Answer {
    guard ending == nil else { throw TakeError.ending(take.name) }
    try order()
    return .reply(.done(current))
  }

  /// Carries out a request, and replies after the writer has obeyed it. Throws if the session is
  /// ending.
  private func carryOut(
    for ticket: Ticket, refusals: Int? = nil, _ order: () throws -> Void
  ) throws -> Answer {
    guard ending == nil else { throw TakeError.ending(take.name) }
    try order()
    waiters.add(ticket, order: take.recording.ordered, refusals: refusals)
    return .later
  }

  private func mark(_ request: Control.Request, for ticket: Ticket) throws -> Answer {
    guard ending == nil else { throw TakeError.ending(take.name) }
    let text = try MarkText(request.arguments["text"]?.string ?? "")
    // The position is not known before the take begins.
    mark(text, for: isArmed ? .nobody : .client(ticket))
    return isArmed ? .reply(.done(current)) : .later
  }

  var current: JSONObject { status.json.object ?? [:] }

  /// Reads the events of the take, and answers the waiters for marks.
  private func collect() {
    for event in take.recording.takeEvents() {
      guard case .mark(let text) = event.event else { continue }
      let time = event.frame.duration(at: take.output.rate)
      waiters.report(text, at: event.frame, time, current)
    }
  }

  /// Returns the refusal of a split, or nil if the number of failed files is still `count`.
  private func refusal(after count: Int) -> Refusal? {
    let refusals = take.refusals
    return refusals.count > count ? refusals.last.map { host.refusal(for: $0) } : nil
  }

  /// Returns the replies that can be sent now. Once the recording has ended, these include a
  /// refusal for each client that still waits for an effect.
  func takeReplies() -> [(Ticket, Reply)] {
    // Read the end before `collect` is called. If the recording has already ended, `collect` finds
    // all of its events.
    let isOver = take.recording.end != nil
    collect()
    // While the device is disconnected, a new file gets no frame, so a split has no effect.
    let isAway = warnings.contains { $0.kind == .away }
    waiters.answer(
      obeyed: take.recording.progress.obeyed, isAway: isAway, refusal: refusal(after:), current)
    if isOver {
      let error = TakeError.ending(take.name)
      waiters.refuse(error, host.refusal(for: error))
    }
    return waiters.takeReplies()
  }
}

extension SessionController {
  /// Determines the cause of the end, once the recording has ended. If a stop was requested, only a
  /// failure of the device or the disk replaces it as the cause.
  func determineCause(of end: RecordingEnd) {
    let found = cause(of: end)
    if ending == nil {
      self.end(found ?? .stopped)
    } else if let found, found.reason == .disk || found.reason == .device {
      amend(found)
    }
  }

  private func cause(of end: RecordingEnd) -> EndCause? {
    switch end.write {
    case .duration: return .duration
    case .size: return limits.size == nil ? .fullFile(take.plan.output.format) : .size
    case .silence: return .silence
    case .failed(let words): return hasReaderLeft ? .closedOutput : .disk(words)
    case .ordered: return nil
    case .captureEnded: break
    }
    switch end.capture {
    case .disconnected(let words), .failed(let words): return .device(words)
    case .stalled: return .deviceStalled
    case .stopped, nil: return nil
    }
  }

  private var hasReaderLeft: Bool {
    if case .stream(let reader) = take.target { reader.hasLeft } else { false }
  }
}
