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
  /// The clients that wait for the result.
  private(set) var waiting: [Ticket] = []
  /// The marks not yet placed, each with the client that waits for its position; nil for a key.
  private var marking: [Ticket?] = []
  /// The clients that wait for a new file, each with the number of its order.
  private var splitting: [(ticket: Ticket, order: Int)] = []
  private var orderedCuts = 0
  private var replies: [(Ticket, Reply)] = []
  /// True while frames are discarded by `pause`.
  package private(set) var isPaused = false
  private(set) var isTriggered = false
  let host: any TakeHost
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
    case .permission, .expired, .cancelled, .disk: take.recording.cut()
    default: take.recording.stop()
    }
  }

  /// Replaces an orderly end by a failure of the device or the disk that came during it.
  func amend(_ cause: EndCause) {
    if case .stopped = ending?.cause { ending?.cause = cause }
  }

  /// Pauses the recording; repeating it is harmless.
  package func pause() {
    if !isPaused { take.recording.pause() }
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
  package func trigger() {
    take.recording.trigger()
    isTriggered = true
  }

  /// Continues in a new file, a moment later; throws at the end and without a file.
  package func split() throws(TakeError) {
    guard ending == nil else { throw .ending(take.name) }
    guard take.place != nil else { throw .noFiles }
    take.recording.split()
    orderedCuts += 1
  }

  /// Sets a mark; a client gets its position once that is known.
  package func mark(_ text: MarkText, for ticket: Ticket? = nil) {
    marking.append(ticket)
    take.recording.mark(text.text)
  }

  /// True while the take waits for a sound or a trigger.
  var isArmed: Bool { !isTriggered && take.recording.progress.isArmed }

  /// True if a client waits for the position of a mark or for a new file.
  var owesReplies: Bool { !splitting.isEmpty || marking.contains { $0 != nil } }
}

extension SessionController {
  /// Answers a request, or keeps its ticket for a later reply.
  package func answer(_ ticket: Ticket, _ request: Control.Request) -> Answer {
    do throws(TakeError) {
      switch SessionVerb(rawValue: request.verb) {
      case .status: return .reply(.done(current))
      case .watch: return .watch(.done(current))
      case .stop: end(.stopped)
      case .cancel: end(.cancelled)
      case .wait: break
      case .split:
        try split()
        // No frame of an armed take is written, so the writer does not reach the cut.
        guard !isArmed else { return .reply(.done(current)) }
        splitting.append((ticket, orderedCuts))
        return .later
      case .mark: return try mark(request, for: ticket)
      case .pause: return try carryOut { () throws(TakeError) in pause() }
      case .resume: return try carryOut(resume)
      case .toggle: return try carryOut(toggle)
      case .trigger: return try carryOut { () throws(TakeError) in trigger() }
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

  private func mark(_ request: Control.Request, for ticket: Ticket) throws(TakeError) -> Answer {
    guard ending == nil else { throw .ending(take.name) }
    let text: MarkText
    do throws(MarkTextFlaw) {
      text = try MarkText(request.arguments["text"]?.string ?? "")
    } catch {
      throw .markText(error)
    }
    // The position is known only once the take has begun.
    mark(text, for: isArmed ? nil : ticket)
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
    guard !marking.isEmpty, let ticket = marking.removeFirst() else { return }
    let time = frame.duration(at: take.output.rate)
    var answer = current
    answer["mark"] = ["frame": frame.value.json, "time": time.json, "text": text.json]
    replies.append((ticket, .done(answer)))
  }

  /// The replies that are due now; after the end, none is owed any more.
  func takeReplies() -> [(Ticket, Reply)] {
    let done = take.recording.progress.orderedCuts
    replies += splitting.filter { $0.order <= done }.map { ($0.ticket, .done(current)) }
    splitting.removeAll { $0.order <= done }
    if take.recording.end != nil {
      let waiting = marking.compactMap(\.self) + splitting.map(\.ticket)
      let refusal = host.refusal(for: .ending(take.name))
      replies += waiting.map { ($0, .refused(refusal)) }
      (marking, splitting) = ([], [])
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
