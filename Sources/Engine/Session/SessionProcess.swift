internal import CommandLine
internal import Control
internal import Linux
internal import Store
internal import Takes

/// The process of a session as its host: the terminal or the command that started it, and the hooks.
///
/// Everything but the words, which have no state, is used by the session's thread alone.
final class SessionProcess: ProgramTakeHost, SessionHost, @unchecked Sendable {
  private let console: Console
  /// The terminal of a session in the foreground.
  private let screen: Screen?
  /// The command that waits for a background session to begin.
  private let channel: StartChannel?

  init(_ console: Console, _ screen: Screen?, _ channel: StartChannel?) {
    self.console = console
    self.screen = screen
    self.channel = channel
  }

  var isForeign: Bool { false }
  var leavesResult: Bool { screen == nil }
  var isLooking: Bool { screen != nil }
  var descriptors: [Int32] { [screen?.number ?? -1] }

  func clearRemains(
    of plan: RecordingPlan, as name: SessionName, in store: SessionStore
  ) -> [String] {
    let recovery = TakeRecovery(store, holding: name)
    if let former = store.record(of: name), former.part == nil { recovery.clearStarts(of: former) }
    return plan.output.path.map(recovery.clear) ?? []
  }

  func wake(_ session: SessionController) {
    for key in screen?.keys() ?? [] { obey(key, session) }
  }

  private func obey(_ key: Screen.Key, _ session: SessionController) {
    switch key {
    case .stop: session.end(.stopped)
    case .mark: session.mark(.none)
    case .toggle:
      do throws(TakeError) {
        try session.toggle()
      } catch {
        say(Failure(error).message.fact)
      }
    }
  }

  func began(_ status: RecordingStatus) -> Bool { channel?.began(status) ?? true }

  func show(_ status: RecordingStatus) { screen?.draw(status) }

  func words(for news: SessionNews) -> String {
    switch news {
    case .start(let words): words
    case .warning(let warning): warning.words
    case .startUnaudited(let cause): cause.startWarning
    case .endUnaudited(let cause): cause.endWarning
    case .turnedAway(let peer): "turned away process \(peer.process) of user \(peer.user)"
    case .resultLost(let cause, let result):
      "what became of the recording cannot be kept: \(cause); it ended with \(result.exit) "
        + "(\(result.reason.rawValue)), \(result.place)"
    }
  }

  func report(_ news: SessionNews) { say(words(for: news)) }

  private func say(_ words: String) {
    screen?.clear()
    console.warn(Message(words))
  }

  func ended(_ result: RecordingResult, of plan: RecordingPlan) {
    screen?.clear()
    Hook(.stop, of: plan)?.run(result)
  }
}
