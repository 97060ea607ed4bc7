package import Control
package import Linux
package import Permission
package import Recording

/// The interface between a session and the program in which it runs. The session calls the
/// functions of this protocol on its own thread, and the functions of `TakeHost` on any thread.
package protocol SessionHost: TakeHost {
  /// The reader for parts of dead sessions at the path of the take, or nil to leave these parts
  /// unchanged.
  var partReader: (any PartReader)? { get }
  /// Whether the process does more than record, so that it must not be killed.
  var isForeign: Bool { get }
  /// Whether the result is saved for a later `wait`.
  var leavesResult: Bool { get }
  /// The monitor of the take, or nil for none.
  var monitor: (any TakeMonitor)? { get }
  /// Whether a screen shows the session, so that the levels must be updated ten times a second.
  var isLooking: Bool { get }
  /// The numbers of descriptors that wake the session when they are readable.
  var descriptors: [Int32] { get }
  /// Handles the readable descriptors.
  func wake(_ session: SessionController)
  /// Reports the first captured frame. Returns false to cancel the take.
  func began(_ status: RecordingStatus) -> Bool
  /// Shows the state.
  func show(_ status: RecordingStatus)
  /// Reports a piece of news immediately.
  func report(_ news: SessionNews)
  /// Reports the result once it is completely on the disk.
  func ended(_ result: RecordingResult, of plan: RecordingPlan)
}

extension SessionHost {
  /// No monitor.
  package var monitor: (any TakeMonitor)? { nil }
}

/// News that the user of a session should get immediately.
package enum SessionNews: Sendable {
  /// The outcome for a part that a dead session left at the path of the take.
  case recovery(RecoveryNews)
  case warning(SessionWarning)
  /// The audit has no entry for the start or the end.
  case startUnaudited(StoreFailure)
  case endUnaudited(StoreFailure)
  /// A process of another user tried to connect.
  case turnedAway(PeerCredentials)
  /// The result could not be saved.
  case resultLost(DirectoryRefusal, RecordingResult)
}
