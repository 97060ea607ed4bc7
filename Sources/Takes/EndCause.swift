package import Audio
package import Control
package import Files
package import Linux
package import Permission
internal import Recording

/// The cause of the end of a take, with the facts for its message.
package enum EndCause: Sendable {
  case stopped, cancelled, discarded, duration, size, silence, closedOutput
  /// The file reached the largest size of its format. The user did not ask for this limit.
  case fullFile(FileFormat)
  case access(AccessLoss)
  /// The free space fell below the limit. The value is the free space in bytes.
  case diskFloor(Int64)
  /// Another program removed or replaced the file at this path.
  case fileRemoved(String)
  /// The file could not be written. The value is the message of the writer.
  case disk(String)
  /// The device failed. The value is the message of the reader.
  case device(String)
  case deviceStalled
  /// The device of a required track disappeared.
  case absent(Track)

  /// The reason in the take's result.
  package var reason: EndReason {
    switch self {
    case .stopped: .stopped
    case .cancelled: .cancelled
    case .discarded: .discarded
    case .duration: .duration
    case .size, .fullFile: .size
    case .silence: .silence
    case .closedOutput: .closedOutput
    case .access(let loss): loss.reason
    case .diskFloor, .fileRemoved, .disk: .disk
    case .device, .deviceStalled, .absent: .device
    }
  }
}

extension EndCause {
  /// The time since the access was lost, if this loss ended the take. It is nil if the time is
  /// unknown, or if the take ended for another reason.
  var lossAge: Duration? { if case .access(let loss) = self { loss.age } else { nil } }
}

/// A decision that ends a running take, or one of its tracks.
package struct AccessLoss: Hashable, Sendable {
  /// The decision. Its status is not `authorized`.
  package let decision: Decision
  /// The user that the decision applies to.
  package let account: Account
  /// The time since the loss, or nil if it is not known.
  var age: Duration?

  /// The reason in the take's result.
  package var reason: EndReason { decision.reason == .expired ? .expired : .permission }

  /// The exit code of a recording that this loss ends.
  var outcome: Outcome {
    reason == .expired ? .expiredWhileRecording : .revokedWhileRecording
  }

  /// The cause of the silence in a track.
  var cause: Gap.Cause { decision.reason == .expired ? .expired : .permission }
}

/// A remark in a result, in addition to the cause of the end.
package enum ResultRemark: Sendable {
  /// No sound reached the threshold, and the user did not trigger the take.
  case neverTriggered(VoiceSettings)
  /// The reader of stdout stopped reading. The values are the number and the duration of the
  /// undelivered frames.
  case undelivered(FrameCount, Duration)
  /// These tracks lost their permission and became silent.
  case silenced([Track], AccessLoss)
  /// The device of the track was missing for this long.
  case absent(Track, Duration)
  /// The device of the track lost frames, or the track had to be aligned again. The track was
  /// interrupted for this long.
  case interrupted(Track, Duration)
  /// The program of the track played nothing during the take. The take is complete.
  case unheard(Track)
}

/// A problem that was found while a file was finished. The result reports it, but the cause of the
/// end stays the same.
package enum TakeFault: Sendable {
  /// The header or the last block could not be written.
  case file(SoundFileError)
  /// The file could not be renamed, or its sidecar could not be written.
  case system(SystemError)
  /// Another program removed or replaced the file at this path during the recording.
  case removed(String)
  /// The removed file was still open, and was copied completely.
  case copied
  /// The file was removed, and could not be copied either.
  case unsaved(SystemError)
  /// Another file has this path, which was intended for the file of the take or for its sidecar. So
  /// the file of the take has another name.
  case nameTaken(String)
  /// An earlier file at this path could not be moved to the trash, so it was replaced.
  case untrashed(String, any Error)
  /// The directory could not be synchronized after the renaming.
  case nameUncertain(SystemError)
  /// A recovered file is damaged in the middle. The damaged piece was kept.
  case damagedInside
  /// The marks could not be written to a recovered file.
  case marksUnwritten
  /// The directory that had this path was renamed, and its new path is not UTF-8.
  case pathUnknown(String)
  /// The file could not be added to the catalogue.
  case unlisted(DirectoryRefusal)
  /// An earlier file of a take with several files could not be added to the catalogue. The value is
  /// the path of this file.
  case unlistedFile(String)
  /// The announcement of the file could not be written, so the file keeps its hidden name. Only a
  /// file with a delivery, and a take with a file for each track, need an announcement.
  case unqueued(DirectoryRefusal)
  /// The file keeps its hidden name, and a recovery gives it its final name.
  case hidden
  /// The number of files that were deleted before their delivery, because the take needed the
  /// space.
  case undeliveredDeleted(Int)
}

/// A cut in the timeline of a file. The file has a mark at the cut.
package enum TimelineCut: Sendable {
  case paused(Duration)
  /// A gap, and the rate of its frames.
  case gap(Gap, SampleRate)
}

extension RecordingResult {
  /// Adds the message of a fault. Sets the exit code only if it is still 0.
  package mutating func add(_ words: String, _ outcome: Outcome) {
    let isKnown = message?.holds(words) ?? false
    if !isKnown { message = [message, words].compactMap(\.self).joined(separator: "; ") }
    if exit == 0 { exit = outcome.rawValue }
  }
}
