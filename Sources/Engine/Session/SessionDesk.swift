internal import Audio
internal import CommandLine
internal import Control
internal import JSON
internal import Linux
internal import Recording
internal import Takes

/// What a session knows and decides, on its main thread: the answers to requests, and why it ends.
final class SessionDesk {
  /// Why it ends, and since when.
  struct Ending {
    var reason: EndReason
    var message: String?
    let since = KernelClock.monotonic.now
  }

  let take: LiveTake
  private(set) var ending: Ending?
  var freeBytes: Int64?
  /// Who waits for the end.
  private(set) var waiting: [Ticket] = []
  /// Who is to be told where the marks lie that the writer has not come to; a key is told nothing.
  private var marking: [Ticket?] = []
  /// The clients to be told of the new file, each with the number of its order.
  private var splitting: [(ticket: Ticket, order: Int)] = []
  private var orderedCuts = 0
  private var replies: [(Ticket, Reply)] = []
  /// Whether what comes is left out.
  private(set) var isPaused = false
  private(set) var isTriggered = false
  /// Refuses what is not allowed any more.
  private let mayListen: () throws(Failure) -> Void

  init(_ take: LiveTake, mayListen: @escaping () throws(Failure) -> Void) {
    self.take = take
    self.mayListen = mayListen
  }

  /// Ends the recording; only the first reason counts.
  func end(_ reason: EndReason, _ message: String? = nil) {
    guard ending == nil else { return }
    ending = Ending(reason: reason, message: message)
    switch reason {
    // What was heard after the permission went is not kept, nor what nobody wants.
    case .permission, .expired, .cancelled, .disk: take.recording.cut()
    default: take.recording.stop()
    }
  }

  /// The device or the disk failed while it was ending: that counts more.
  func amend(_ message: String, with reason: EndReason) {
    guard ending?.reason == .stopped else { return }
    ending?.reason = reason
    ending?.message = message
  }

  func pause() {
    if !isPaused { take.recording.pause() }
    isPaused = true
  }

  /// Goes on, unless the permission is gone.
  func resume() throws(Failure) {
    guard isPaused else { return }
    try mayListen()
    take.recording.resume()
    isPaused = false
  }

  func toggle() throws(Failure) {
    if isPaused { try resume() } else { pause() }
  }

  /// Begins a take that waits; the writer comes to it a moment later.
  func trigger() {
    take.recording.trigger()
    isTriggered = true
  }

  /// Continues in a new file; who asked is told which, once the writer has come to the cut.
  private func split(for ticket: Ticket) throws(Failure) -> Answer {
    guard ending == nil else { throw isEnding }
    guard take.place != nil else {
      throw Failure(.usage, Message("a recording to stdout has no files, so it cannot be split"))
    }
    take.recording.split()
    orderedCuts += 1
    // Nothing of an armed take is written, so the writer does not come to the cut.
    guard !isArmed else { return .reply(.done(current)) }
    splitting.append((ticket, orderedCuts))
    return .later
  }

  /// Whether nothing is kept yet.
  var isArmed: Bool { !isTriggered && take.recording.progress.isArmed }

  /// Marks this moment; who asked is told where it lies once that is known.
  func mark(_ text: String, for ticket: Ticket?) {
    marking.append(ticket)
    take.recording.mark(text)
  }

  /// True if somebody waits to be told of a mark or of a new file.
  var owesReplies: Bool { !splitting.isEmpty || marking.contains { $0 != nil } }

  /// Takes what happened to the take, and tells whoever marked it.
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

  /// What was promised and can be said now; after the end nothing is owed any more.
  func takeReplies() -> [(Ticket, Reply)] {
    let done = take.recording.progress.orderedCuts
    replies += splitting.filter { $0.order <= done }.map { ($0.ticket, .done(current)) }
    splitting.removeAll { $0.order <= done }
    if take.recording.end != nil {
      let waiting = marking.compactMap(\.self) + splitting.map(\.ticket)
      replies += waiting.map { ($0, .refused(Refusal(isEnding))) }
      (marking, splitting) = ([], [])
    }
    defer { replies = [] }
    return replies
  }

  private var isEnding: Failure {
    Failure(.notFound, Message("\(quoted(take.name.text)) is ending already"))
  }

  /// What to do about a request.
  func answer(_ ticket: Ticket, _ request: Control.Request) -> Answer {
    do throws(Failure) {
      switch request.verb {
      case "status": return .reply(.done(current))
      case "watch": return .watch(.done(current))
      case "stop": end(.stopped)
      case "cancel": end(.cancelled)
      case "wait": break
      case "split": return try split(for: ticket)
      case "mark":
        guard ending == nil else { throw isEnding }
        let text = try MarkText.checked(request.arguments["text"]?.string ?? "")
        // Its place is known only once the take has begun.
        mark(text, for: isArmed ? nil : ticket)
        return isArmed ? .reply(.done(current)) : .later
      default: return .reply(.done(try obey(request)))
      }
      waiting.append(ticket)
      return .later
    } catch {
      return .reply(.refused(Refusal(error)))
    }
  }

  private var current: JSONObject { status.json.object ?? [:] }

  private func obey(_ request: Control.Request) throws(Failure) -> JSONObject {
    guard ending == nil else { throw isEnding }
    switch request.verb {
    case "pause": pause()
    case "resume": try resume()
    case "toggle": try toggle()
    case "trigger": trigger()
    // Asked by who has taken a permission back, and cannot know the device as well as this session does.
    case "permission": try mayListen()
    default:
      throw Failure(.usage, Message("a recording cannot \(quoted(request.verb))"))
    }
    return current
  }
}

extension Refusal {
  /// The same for the other end of a socket.
  init(_ failure: Failure) {
    let advice = failure.message.advice.joined(separator: "\n")
    self.init(
      exit: failure.code.rawValue, failure.message.fact, advice: advice.isEmpty ? nil : advice)
  }
}
