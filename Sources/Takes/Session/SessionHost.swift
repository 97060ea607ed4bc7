package import Control
package import Linux
package import Permission
package import Store

/// The program in which a session runs, called on the session's thread.
package protocol SessionHost: TakeHost {
  /// Recovers the remains of dead sessions at the target of a plan; returns messages about them.
  func clearRemains(of plan: RecordingPlan, as name: SessionName, in store: SessionStore)
    -> [String]
  /// True where the process does more than record, so that nobody may kill it.
  var isForeign: Bool { get }
  /// True where the result is left for a `wait` that comes later.
  var leavesResult: Bool { get }
  /// True while a screen shows the session, so that levels are due ten times a second.
  var isLooking: Bool { get }
  /// Descriptors that wake the session when they are readable.
  var descriptors: [Int32] { get }
  /// Handles the descriptors that are readable.
  func wake(_ session: SessionController)
  /// Reports the first captured frame; false ends the take as cancelled.
  func began(_ status: RecordingStatus) -> Bool
  /// Shows the state.
  func show(_ status: RecordingStatus)
  /// The words of a piece of news, for the warnings of a status.
  func words(for news: SessionNews) -> String
  /// Reports a piece of news at once.
  func report(_ news: SessionNews)
  /// Reports the result, once all of it is on the disk.
  func ended(_ result: RecordingResult, of plan: RecordingPlan)
}

/// News that the user of a session should get at once.
package enum SessionNews: Sendable {
  /// A message from the start of the session, in the host's own words.
  case start(String)
  case warning(SessionWarning)
  /// The audit has no entry of the start, or of the end.
  case startUnaudited(StoreFailure)
  case endUnaudited(StoreFailure)
  /// A process of another user tried to connect.
  case turnedAway(PeerCredentials)
  /// The result could not be saved.
  case resultLost(DirectoryRefusal, RecordingResult)
}
