package import Control

/// The outcome for the part of a dead session.
package struct RecoveredTake: Equatable, Sendable {
  /// The path of the part.
  package let part: String
  /// The result of the take; nil where the part had no sound and was removed.
  package var result: RecordingResult?
  /// The bytes after the last whole frame, which were cut off.
  package var removedBytes: Int64 = 0
  /// The time of the last write to the part, since 1970.
  package var lastWrite: Duration
}

/// The fate of a dead session's part that a start found, for the user.
package enum RecoveryNews: Sendable {
  /// The take was saved under a path, with this length.
  case saved(String, Duration)
  /// The part at a path is too long to be read now.
  case left(String)
  /// The part at a path belongs to another user.
  case foreign(String, owner: UInt32)
  /// The part could not be recovered.
  case failed(TakeError)
}
