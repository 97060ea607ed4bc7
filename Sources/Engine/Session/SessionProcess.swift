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

  var partReader: (any PartReader)? { ConfinedPartReader() }
  var isForeign: Bool { false }
  var leavesResult: Bool { screen == nil }
  var isLooking: Bool { screen != nil }
  var descriptors: [Int32] { [screen?.number ?? -1] }

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
    case .recovery(let news): words(for: news)
    case .warning(let warning): warning.words
    case .startUnaudited(let cause): cause.startWarning
    case .endUnaudited(let cause): cause.endWarning
    case .turnedAway(let peer): "turned away process \(peer.process) of user \(peer.user)"
    case .resultLost(let cause, let result):
      "what became of the recording cannot be kept: \(cause); it ended with \(result.exit) "
        + "(\(result.reason.rawValue)), \(result.place)"
    }
  }

  private func words(for news: RecoveryNews) -> String {
    switch news {
    case .saved(let path, let length):
      "an interrupted recording was saved as \(quoted(path)), \(clock(length))"
    case .left(let path):
      "an interrupted recording is in \(quoted(path)); \"recorder recover\" saves it"
    case .foreign(let path, let owner):
      "\(quoted(path)) belongs to user \(owner), and was left alone"
    case .failed(let error): Failure(error).message.fact
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
