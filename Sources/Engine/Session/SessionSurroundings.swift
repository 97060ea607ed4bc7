internal import CommandLine
internal import Control
internal import Linux
internal import Permission
internal import Store

/// What a session tells of itself, and where.
struct SessionSurroundings {
  let session: SessionID
  let store: SessionStore
  let socket: SessionSocket
  let console: Console
  /// The terminal of a session in the foreground.
  let screen: Screen?
  /// Who waits for a session in the background to begin.
  let channel: StartChannel?
  /// Descriptors kept back for the end of the take.
  let reserve: DescriptorReserve
  /// What the start found that its user should know.
  var news: [String] = []

  /// Says what the user should know now.
  func say(_ words: String) {
    screen?.clear()
    console.warn(Message(words))
  }
}
