package import Audio
package import Control
package import Files
package import Linux
package import Permission
internal import Recording
package import Store

/// The cause of a take's end, with the facts for its message.
package enum EndCause: Sendable {
  case stopped, cancelled, discarded, duration, size, silence, closedOutput
  case access(AccessLoss)
  /// The free space fell below the limit; the bytes that were left.
  case diskFloor(Int64)
  /// Another program removed or replaced the file; its path.
  case fileRemoved(String)
  /// The file could not be written, in the words of the writer.
  case disk(String)
  /// The device failed, in the words of the reader.
  case device(String)
  case deviceStalled

  /// The reason in the take's result.
  package var reason: EndReason {
    switch self {
    case .stopped: .stopped
    case .cancelled: .cancelled
    case .discarded: .discarded
    case .duration: .duration
    case .size: .size
    case .silence: .silence
    case .closedOutput: .closedOutput
    case .access(let loss): loss.reason
    case .diskFloor, .fileRemoved, .disk: .disk
    case .device, .deviceStalled: .device
    }
  }
}

/// A decision that ends a take which had microphone access.
package struct AccessLoss: Sendable {
  /// The decision, whose status is not authorized.
  package let decision: Decision
  /// The user whose permission was asked for.
  package let account: Account

  /// The reason in the take's result.
  package var reason: EndReason { decision.reason == .expired ? .expired : .permission }
}

/// A remark on a result besides the cause of its end.
package enum ResultRemark: Sendable {
  /// No sound reached the threshold, or nobody triggered the take.
  case neverTriggered(VoiceSettings)
  /// The reader of stdout stopped reading: the frames not delivered, and the time waited for it.
  case undelivered(FrameCount, Duration)
}

/// A fault at the end of a file, which leaves the sound intact and is reported in the result.
package enum TakeFault: Sendable {
  /// The header or the last block could not be written.
  case file(SoundFileError)
  /// The file or its sidecar could not be put in place.
  case system(SystemError)
  /// Another program removed or replaced the file during the recording; its path.
  case removed(String)
  /// A file that was removed could not be copied either.
  case unsaved(SystemError)
  /// Another file had the name by then.
  case nameTaken(String)
  /// The file at this path was replaced, because it could not be moved to the trash.
  case untrashed(String, TakeChangeError)
  /// The directory could not be synchronized after the renaming.
  case nameUncertain(SystemError)
  /// A foreign file is in the place of the sidecar.
  case sidecarExists(String)
  /// A recovered file is damaged in the middle; the damaged piece was kept.
  case damagedInside
  /// The marks could not be written into a recovered file.
  case marksUnwritten
  /// The catalogue has no line of the file.
  case unlisted(DirectoryRefusal)
  /// The catalogue has no line of the file at this path, which is not the last of its take.
  case unlistedFile(String)
  /// The delivery of the file could not be saved, so the file has no name yet.
  case unqueued(DirectoryRefusal)
  /// Files were deleted before they were delivered, because the take needed their space.
  case undeliveredDeleted(Int)
}

/// A cut in the timeline of a file, which gets a mark.
package enum TimelineCut: Sendable {
  case paused(Duration)
  case gap(Gap)
}

extension RecordingResult {
  /// Adds a fault from the end; an earlier outcome counts more.
  package mutating func add(_ words: String, _ outcome: Outcome) {
    let isKnown = message?.holds(words) ?? false
    if !isKnown { message = [message, words].compactMap(\.self).joined(separator: "; ") }
    if exit == 0 { exit = outcome.rawValue }
  }
}
