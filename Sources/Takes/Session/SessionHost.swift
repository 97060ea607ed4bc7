package import Control
package import Linux
package import Permission
package import Recording

/// The program in which a session runs, called on the session's thread.
package protocol SessionHost: TakeHost {
  /// The reader of parts that dead sessions left at the target of a take; nil to leave them.
  var partReader: (any PartReader)? { get }
  /// True where the process does more than record, so that nobody may kill it.
  var isForeign: Bool { get }
  /// True where the result is left for a `wait` that comes later.
  var leavesResult: Bool { get }
  /// The listener of the take itself; nil where nobody listens.
  var monitor: (any TakeMonitor)? { get }
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

extension SessionHost {
  /// Nobody.
  package var monitor: (any TakeMonitor)? { nil }
}

/// News that the user of a session should get at once.
package enum SessionNews: Sendable {
  /// The fate of a part that a dead session left at the target of the take.
  case recovery(RecoveryNews)
  case warning(SessionWarning)
  /// The audit has no entry of the start, or of the end.
  case startUnaudited(StoreFailure)
  case endUnaudited(StoreFailure)
  /// A process of another user tried to connect.
  case turnedAway(PeerCredentials)
  /// The result could not be saved.
  case resultLost(DirectoryRefusal, RecordingResult)
}
