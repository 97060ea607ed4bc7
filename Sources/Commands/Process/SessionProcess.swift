internal import Control
internal import Linux
internal import Store
internal import Takes

/// The host of a session in a process of its own. It connects the session with the terminal or with
/// the command that started the session, and runs the hooks.
///
/// Only the session's thread uses this object, except for the `words` functions, which use no
/// state.
final class SessionProcess: ProgramTakeHost, SessionHost, @unchecked Sendable {
  private let console: Console
  /// The terminal of a session in the foreground, or nil in the background.
  private let screen: LiveScreen?
  /// The connection to the command that waits for a background session to begin, or nil in the
  /// foreground.
  private let channel: StartChannel?
  /// The signals of the terminal, or nil in the background.
  private let signals: StopSignals?
  private var hold = PeakHold()

  init(
    _ console: Console, _ screen: LiveScreen?, _ channel: StartChannel?,
    _ signals: StopSignals? = nil
  ) {
    self.console = console
    self.screen = screen
    self.channel = channel
    self.signals = signals
  }

  var partReader: (any PartReader)? { ConfinedPartReader() }
  var isForeign: Bool { false }
  var leavesResult: Bool { screen == nil }
  var isLooking: Bool { screen?.isShown ?? false }
  var descriptors: [Int32] { [screen?.number ?? -1] }

  func wake(_ session: SessionController) {
    for key in screen?.keys() ?? [] { obey(key, session) }
    if signals?.takeLeave() == true {
      screen?.close()
      try? Signal.user1.send(to: Environment.parentProcess)
    }
    if signals?.takeTerminalStop() == true {
      say("a recording continues after Ctrl-Z; space pauses it, and q stops it")
    }
  }

  private func obey(_ key: Key, _ session: SessionController) {
    switch key {
    case .character("q"): session.end(.stopped)
    case .character("m"): session.mark(.none)
    case .character(" "):
      do {
        try session.toggle()
      } catch {
        say(Failure(explaining: error).message.fact)
      }
    default: break
    }
  }

  func began(_ status: RecordingStatus) -> Bool { channel?.began(status) ?? true }

  func show(_ status: RecordingStatus) {
    hold.hold(status.meters, at: KernelClock.monotonic.now)
    if signals?.isAway != true { screen?.draw(LiveView(status, hold)) }
  }

  func report(_ news: SessionNews) { say(words(for: news)) }

  private func say(_ words: String) {
    screen?.clear()
    console.warn(words)
  }

  func ended(_ result: RecordingResult, of plan: RecordingPlan) {
    screen?.clear()
    if !result.reason.isCancelled { Hook.run(plan.onStop, at: .stop, result) }
  }
}

/// The connection from a session to the command that started the session. It is used until the
/// session has begun or failed.
final class StartChannel {
  private var connection: Descriptor?

  init(_ connection: consuming Descriptor) { self.connection = .some(connection) }

  /// Reads the plan from the connection.
  static func plan(from connection: borrowing Descriptor) throws -> RecordingPlan {
    let line = try Failure.context("cannot read the plan") {
      try Self.line(from: connection, waitingUpTo: .seconds(5))
    }
    guard let plan = StartLine.plan(from: line) else {
      throw Failure(
        .failed, "only recorder itself can run this command",
        advice: "use \"recorder start\"")
    }
    return plan
  }

  /// Reads a line. If the other end closes the connection, or the time is over, returns only a part
  /// of the line.
  static func line(
    from connection: borrowing Descriptor, waitingUpTo limit: Duration
  ) throws(SystemError) -> [UInt8] {
    let deadline = KernelClock.monotonic.now + limit
    var line: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while line.last != UInt8(ascii: "\n"), line.count < Wire.longestLine {
      let left = deadline - KernelClock.monotonic.now
      guard left > .zero, try connection.wait(upTo: left) else { break }
      guard let count = try connection.readIfReady(into: &chunk) else { continue }
      if count == 0 { break }
      line += chunk[..<count]
    }
    return line.dropLast()
  }

  /// Reports that the session has begun. Returns false if the command has ended.
  func began(_ status: RecordingStatus) -> Bool { send(StartLine.began(status)) }

  /// Reports that the session could not begin. Does nothing after the session has begun.
  func refuse(_ failure: Failure) { _ = send(StartLine.refused(Refusal(failure))) }

  private func send(_ line: [UInt8]) -> Bool {
    guard let channel = connection.take() else { return true }
    return (try? channel.writeAll(line.span)) != nil
  }
}
