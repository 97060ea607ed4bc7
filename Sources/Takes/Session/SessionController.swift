internal import Audio
package import Control
internal import JSON
internal import Linux
internal import Recording

/// The decisions of a session: the answers to requests, and the reason why it ends.
///
/// All calls come from the session's own thread.
package final class SessionController {
  /// The end of a session that has been decided.
  package struct Ending {
    /// The first cause, or the failure of the device or the disk that followed it.
    package fileprivate(set) var cause: EndCause
    /// The time of the decision, on the monotonic clock.
    package let since = KernelClock.monotonic.now
  }

  /// The take that the session records.
  package let take: LiveTake
  /// The end that has been decided; nil while the session records.
  package private(set) var ending: Ending?
  /// The bytes that are free on the disk; nil for stdout, and where the system does not say.
  var freeBytes: Int64?
  /// The time since 1970 at which the microphone access ends, in whole seconds; nil where it has no
  /// end.
  var accessUntil: Duration?
  /// The clients that wait for the result.
  private(set) var waiting: [Ticket] = []
  /// The marks not yet placed, each with whoever waits for its position.
  private var marking: [MarkWaiter] = []
  /// The clients that wait for the effect of an order.
  private var ordering: [OrderWaiter] = []
  private var replies: [(Ticket, Reply)] = []
  /// True while frames are discarded by `pause`.
  package private(set) var isPaused = false
  private var isTriggered = false
  private let host: any TakeHost
  /// Throws once microphone access is lost.
  private let checkAccess: () throws(TakeError) -> Void

  /// A controller of a take that records.
  package init(
    _ take: LiveTake, _ host: any TakeHost, checkAccess: @escaping () throws(TakeError) -> Void
  ) {
    self.take = take
    self.host = host
    self.checkAccess = checkAccess
  }

  /// Ends the recording; only the first cause counts.
  package func end(_ cause: EndCause) {
    guard ending == nil else { return }
    ending = Ending(cause: cause)
    switch cause.reason {
    // Sound after the loss of access is not kept, nor that of a cancelled take.
    case .permission, .expired, .cancelled, .discarded, .disk: take.recording.cut()
    default: take.recording.stop()
    }
  }

  /// Replaces an orderly end by a failure of the device or the disk that came during it.
  private func amend(_ cause: EndCause) {
    if case .stopped = ending?.cause { ending?.cause = cause }
  }

  /// Pauses the recording; repeating it is harmless.
  ///
  /// - Parameter releasing: true to close the device until the recording resumes.
  package func pause(releasing: Bool = false) {
    if !isPaused { take.recording.pause(releasing: releasing) }
    isPaused = true
  }

  /// Resumes; throws after microphone access was lost.
  package func resume() throws(TakeError) {
    guard isPaused else { return }
    try checkAccess()
    take.recording.resume()
    isPaused = false
  }

  /// Pauses or resumes; throws as `resume` does.
  package func toggle() throws(TakeError) {
    if isPaused { try resume() } else { pause() }
  }

  /// Triggers an armed take; the writer starts a moment later.
  ///
  /// - Parameter instant: the moment, by the monotonic clock, of the first frame; nil for all of the pre-roll.
  package func trigger(since instant: Duration? = nil) {
    take.recording.trigger(since: instant)
    isTriggered = true
  }

  /// Continues in a new file, a moment later; throws at the end and without a file.
  package func split() throws(TakeError) {
    guard ending == nil else { throw .ending(take.name) }
    guard take.place != nil else { throw .noFiles }
    take.recording.split()
  }

  /// Sets a mark; whoever waits gets its position once that is known.
  package func mark(_ text: MarkText, for waiter: MarkWaiter = .nobody) {
    marking.append(waiter)
    take.recording.mark(text.text)
  }

  /// True while the take waits for a sound or a trigger.
  private var isArmed: Bool { !isTriggered && take.recording.progress.isArmed }

  /// True if a client waits for the position of a mark or for a new file.
  var owesReplies: Bool { !ordering.isEmpty || marking.contains(where: \.isThere) }
}

extension SessionController {
  /// Answers a request, or keeps its ticket for a later reply.
  package func answer(_ ticket: Ticket, _ request: Control.Request) -> Answer {
    do throws(TakeError) {
      switch SessionVerb(rawValue: request.verb) {
      case .status: return .reply(.done(current))
      case .watch: return .watch(.done(current))
      case .stop: end(.stopped)
      case .cancel: end(request.arguments["delete"]?.bool == true ? .cancelled : .discarded)
      case .wait: break
      case .split:
        // No frame of an armed take is written, so the writer does not reach the cut.
        guard !isArmed else { return try carryOut(split) }
        return try carryOut(for: ticket, waitingUpTo: nil, split)
      case .mark: return try mark(request, for: ticket)
      case .pause: return try carryOut(for: ticket) { () throws(TakeError) in pause() }
      case .resume: return try carryOut(for: ticket, resume)
      case .toggle: return try carryOut(for: ticket, toggle)
      case .trigger: return try carryOut(for: ticket) { () throws(TakeError) in trigger() }
      // From a program that revoked the permission, which knows the device less exactly than this
      // session does.
      case .permission: return try carryOut(checkAccess)
      case nil: return try carryOut { () throws(TakeError) in throw .unknownRequest(request.verb) }
      }
      waiting.append(ticket)
      return .later
    } catch {
      return .reply(.refused(host.refusal(for: error)))
    }
  }

  /// Carries out a request that is answered at once; throws at the end.
  private func carryOut(_ order: () throws(TakeError) -> Void) throws(TakeError) -> Answer {
    guard ending == nil else { throw .ending(take.name) }
    try order()
    return .reply(.done(current))
  }

  /// The longest wait for the effect of an order: a device that is away delivers nothing.
  private static let patience = Duration.seconds(1)

  /// Carries out an order whose effect the writer shows a moment later; throws at the end.
  private func carryOut(
    for ticket: Ticket, waitingUpTo limit: Duration? = SessionController.patience,
    _ order: () throws(TakeError) -> Void
  ) throws(TakeError) -> Answer {
    guard ending == nil else { throw .ending(take.name) }
    try order()
    ordering.append(
      OrderWaiter(
        ticket: ticket, order: take.recording.ordered,
        deadline: limit.map { KernelClock.monotonic.now + $0 }))
    return .later
  }

  private func mark(_ request: Control.Request, for ticket: Ticket) throws(TakeError) -> Answer {
    guard ending == nil else { throw .ending(take.name) }
    let text: MarkText
    do throws(MarkTextFlaw) {
      text = try MarkText(request.arguments["text"]?.string ?? "")
    } catch {
      throw .markText(error)
    }
    // The position is known only once the take has begun.
    mark(text, for: isArmed ? .nobody : .client(ticket))
    return isArmed ? .reply(.done(current)) : .later
  }

  private var current: JSONObject { status.json.object ?? [:] }

  /// Reads the events of the take, and replies to the clients that ordered them.
  func collect() {
    for event in take.recording.takeEvents() {
      if case .mark(let text) = event.event { tell(of: text, at: event.frame) }
    }
  }

  private func tell(of text: String, at frame: FrameCount) {
    let time = frame.duration(at: take.output.rate)
    let waiter = marking.isEmpty ? MarkWaiter.nobody : marking.removeFirst()
    switch waiter {
    case .nobody: return
    case .host(let done): done(.success(time))
    case .client(let ticket):
      var answer = current
      answer["mark"] = ["frame": frame.value.json, "time": time.json, "text": text.json]
      replies.append((ticket, .done(answer)))
    }
  }

  /// The replies that are due now; after the end, none is owed any more.
  func takeReplies() -> [(Ticket, Reply)] {
    if !ordering.isEmpty {
      let (obeyed, now) = (take.recording.progress.obeyed, KernelClock.monotonic.now)
      let done = ordering.filter { $0.isDue(after: obeyed, at: now) }
      ordering.removeAll { $0.isDue(after: obeyed, at: now) }
      replies += done.map { ($0.ticket, .done(current)) }
    }
    if take.recording.end != nil {
      let refusal = host.refusal(for: .ending(take.name))
      for waiter in marking {
        switch waiter {
        case .nobody: continue
        case .host(let done): done(.failure(.ending(take.name)))
        case .client(let ticket): replies.append((ticket, .refused(refusal)))
        }
      }
      replies += ordering.map { ($0.ticket, .refused(refusal)) }
      (marking, ordering) = ([], [])
    }
    defer { replies = [] }
    return replies
  }
}

extension SessionController {
  /// Determines the cause of an end that nobody ordered, once the recording has ended.
  func settle(_ end: RecordingEnd) {
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
    case .size: return .size
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

/// The state of a session and its result, as its clients read them.
extension SessionController {
  /// The present state.
  package var status: RecordingStatus {
    let progress = take.recording.progress
    var facts = take.facts(after: progress)
    facts.path = take.place?.path
    // The writer may wait for the disk, and frames lost meanwhile count already.
    facts.frames.lost = max(progress.frames.lost, take.recording.lost)
    if progress.segment > 1 || take.plan.output.split != nil { facts.segment = progress.segment }
    var status = RecordingStatus(
      facts, state: state, process: Environment.processIdentifier)
    if facts.segment != nil { status.segmentFrames = progress.segmentFrames }
    if state == .armed { status.startOnSound = take.plan.voice?.start }
    status.level = progress.level
    // A gate that waits measures all channels as one.
    if !progress.isArmed { status.channels = progress.channels }
    status.totalClipped = progress.clipped
    status.freeBytes = freeBytes.map { max(0, $0 - take.plan.limits.free) }
    status.accessUntil = accessUntil
    status.freeSeconds = freeSeconds
    status.warnings = warnings.map(host.words)
    return status
  }

  /// The result of the recording, before its file is ended.
  var result: RecordingResult {
    let progress = take.recording.progress
    var result = RecordingResult(
      take.facts(after: progress), reason: ending?.cause.reason ?? .stopped, exit: 0,
      began: take.began)
    result.message =
      ending.flatMap { host.words(for: $0.cause) } ?? neverTriggered.flatMap(host.words)
    result.clipped = progress.clipped
    if result.reason == .closedOutput { result.discardUndelivered() }
    result.exit = outcome(of: result).rawValue
    return result
  }

  /// The result where the reader of stdout has stopped reading, with the frames that it did not get
  /// as lost.
  var undelivered: RecordingResult {
    var result = result
    guard case .stream(let reader) = take.target else { return result }
    let delivered = reader.delivered.converted(from: take.output.rate, to: take.input.rate)
    let elapsed = take.recording.captured + take.recording.lost
    let captured = delivered + result.frames.discarded - result.frames.filled
    let missing = elapsed - captured - result.frames.lost
    guard missing > 0 else { return result }
    result.frames.captured = captured
    result.frames.lost += missing
    result.gaps.append(Gap(position: delivered, length: missing, cause: .disk))
    result.message = host.words(for: .undelivered(missing, missing.duration(at: take.input.rate)))
    result.exit = outcome(of: result).rawValue
    return result
  }

  private var neverTriggered: ResultRemark? {
    isArmed ? take.plan.voice.map(ResultRemark.neverTriggered) : nil
  }

  /// The state alone.
  package var state: RecordingStatus.State {
    if ending != nil { return .finishing }
    if take.recording.captured == 0 { return .starting }
    if isPaused { return .paused }
    return isArmed ? .armed : .recording
  }

  private func outcome(of result: RecordingResult) -> Outcome {
    switch result.reason {
    case .permission: return .revokedWhileRecording
    case .expired: return .expiredWhileRecording
    case .cancelled: return .nothingCaptured
    case _ where result.frames.onDisk == 0: return .nothingCaptured
    case .disk, .device, .interrupted: return .incomplete
    case .stopped, .discarded, .duration, .size, .silence, .split, .closedOutput:
      let isWhole = result.frames.lost == 0 || take.plan.toleratesGaps
      return isWhole && result.message == nil ? .done : .incomplete
    }
  }

  /// The time until the free space reaches its limit.
  var freeSeconds: Double? {
    freeBytes.map { free in
      Double(max(0, free - take.plan.limits.free)) / Double(take.output.bytesPerSecond)
    }
  }

  /// The current warnings.
  package var warnings: [SessionWarning] {
    let progress = take.recording.progress
    let lost = take.recording.lost
    // A writer that is behind means a slow disk; the final count of lost frames is the writer's.
    let isBehind = progress.frames.captured != take.recording.captured
    var warnings = SessionWarning.all(
      about: progress, lost: isBehind ? lost : progress.frames.lost, at: take.input.rate,
      secondsFree: freeSeconds)
    if case .file(let series) = take.target, !series.changedFiles.isEmpty {
      warnings.append(.changed(series.changedFiles))
    }
    if case .file(let series) = take.target, series.undeliveredDeleted > 0 {
      warnings.append(.deleted(series.undeliveredDeleted))
    }
    let absence = (lost - progress.frames.lost).duration(at: take.input.rate)
    if !isBehind, absence >= .seconds(1) { warnings.append(.away(absence)) }
    return warnings
  }
}

extension RecordingResult {
  /// Counts frames after the reader of stdout has closed it as discarded, and not as lost.
  fileprivate mutating func discardUndelivered() {
    guard let last = facts.gaps.last, last.cause == .disk else { return }
    facts.gaps.removeLast()
    facts.frames.lost -= last.length
    facts.frames.captured += last.length
    facts.frames.discarded += last.length
  }
}
