package import Control

/// The result of recovering the part of a dead session.
package struct RecoveredTake: Equatable, Sendable {
  /// The path of the part.
  package let part: String
  /// The result of the take, or nil if the part had no sound and was removed.
  package var result: RecordingResult?
  /// The texts of the marks in a part without sound. These marks are lost, because the part was
  /// removed.
  package var lostMarks: [String] = []
  /// The number of bytes after the last whole frame, which were cut off.
  package var removedBytes: Int64 = 0
  /// The time of the last write to the part, since 1970.
  package var lastWrite: Duration
  /// True if the machine has not been restarted since the last write, so that only the program
  /// died. False if a restart cannot be excluded.
  package var wasKilled: Bool
}

/// News for the user about the part of a dead session, found at the start of a recording.
package enum RecoveryNews: Sendable {
  /// The take was saved at this path and has this length.
  case saved(String, Duration)
  /// The part at this path is too large to be recovered now.
  case left(String)
  /// The part at this path belongs to another user.
  case foreign(String, owner: UInt32)
  /// The part could not be recovered.
  case failed(any Error)
}
