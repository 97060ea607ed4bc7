package import Audio
package import Control
internal import Linux
package import Permission
package import Recording

/// The interface between a take and the program that records it. The program supplies some texts,
/// receives reports, and starts deliveries.
///
/// The take calls these functions from any of its threads, so they must not block.
package protocol TakeHost: Sendable {
  /// Whether a file that the recording replaces goes to the trash.
  var trashesReplaced: Bool { get }
  /// Returns the reason for the loss of a permission as a clause.
  func words(for loss: AccessLoss) -> String
  /// Returns the refusal that a client receives for an error.
  func refusal(for error: any Error) -> Refusal
  /// Reports a failure that does not end the take: a new file could not be started, retention
  /// failed, or a file could not be added to the catalogue yet.
  func report(_ error: any Error)
  /// Reports a file that retention did not delete, because its content has changed.
  func reportChanged(_ path: String)
  /// Reports a complete file, once it has its final name.
  func completed(_ result: RecordingResult, of plan: RecordingPlan)
  /// Starts the delivery of the waiting files of a series while the take continues.
  func deliver(_ series: String)
}

extension TakeHost {
  /// False, so that a program that uses the library does not fill the user's trash with its files.
  package var trashesReplaced: Bool { false }
  /// Does nothing. The next `recorder deliver` delivers the files.
  package func deliver(_ series: String) {}
}

/// A host for a program that has no texts of its own. The host has short texts and ignores reports.
package protocol PlainTakeHost: TakeHost {}

/// A plain host. It has no state, so any number of takes can share it.
package struct PlainHost: PlainTakeHost {
  /// A host.
  package init() {}
}

extension PlainTakeHost {
  /// Returns the same clause for every loss.
  package func words(for loss: AccessLoss) -> String { "the permission to record ended" }

  /// Returns a refusal of one sentence, with the exit code that the command line uses.
  package func refusal(for error: any Error) -> Refusal { Refusal(plain: error) }

  /// Ignores the error.
  package func report(_ error: any Error) {}
  /// Ignores a file that retention did not delete.
  package func reportChanged(_ path: String) {}
  /// Ignores a complete file, because there are no hooks.
  package func completed(_ result: RecordingResult, of plan: RecordingPlan) {}
}

/// A warning about a running recording.
package enum SessionWarning: Hashable, Sendable {
  /// Only digital silence has been captured so far.
  case silence
  /// Only digital silence has been captured from the microphone of this track so far.
  case silentTrack(Track)
  /// The speaker or the program that is recorded has played nothing so far.
  case nothingPlayed
  /// The program of this track has played nothing so far, and plays nothing now.
  case idle(Track)
  /// The disk will be full in this number of seconds.
  case disk(seconds: Double)
  /// The number of lost frames, and the position of the last loss in the take. The position is nil
  /// if it is unknown.
  case lost(FrameCount, last: Duration? = nil)
  /// The device has been disconnected for this long.
  case away(Duration)
  /// The device of the track disappeared, and the track is silent.
  case absent(Track)
  /// The missing device of the track has returned.
  case returned(Track)
  /// The clock of the track's device differs too much from the clock of the first track, so the
  /// track is interrupted.
  case unsteady(Track)
  /// These tracks lost their permission and are silent.
  case silenced([Track], AccessLoss)
  /// Files of the series that retention does not delete, because their content has changed.
  case changed([String])
  /// The number of files that were deleted before their delivery, to free space.
  case deleted(Int)

  /// The kind of a warning. Each kind is reported once. The disappearance of a device is reported
  /// again after the device has returned.
  package enum Kind: Hashable, Sendable {
    case silence, disk, loss, away, changed, deletion
    case track(Track), program(Track), clock(Track), service(Service)
  }

  /// The kind of this warning.
  package var kind: Kind {
    switch self {
    case .silence, .silentTrack, .nothingPlayed: .silence
    case .disk: .disk
    case .lost: .loss
    case .away: .away
    case .absent(let track), .returned(let track): .track(track)
    case .idle(let track): .program(track)
    case .unsteady(let track): .clock(track)
    case .silenced(_, let loss): .service(loss.decision.service)
    case .changed: .changed
    case .deleted: .deletion
    }
  }

  /// The length of digital silence after which the device counts as muted or wrong. Even a quiet
  /// room causes samples other than zero within this time.
  private static let patience = Duration.seconds(3)
  private static let leastSeconds = 300.0

  /// Returns the warnings for the progress of a take. `tracks` must have their peaks and gaps.
  package static func all(
    about progress: TakeProgress, of tracks: [Track], lost: FrameCount? = nil, at rate: SampleRate,
    secondsFree: Double?
  ) -> [SessionWarning] {
    var warnings: [SessionWarning] = []
    let patience = FrameCount(patience, at: rate)
    if progress.highest.peak == 0 {
      if progress.leadingSilence >= patience {
        warnings.append(tracks.services == [.systemAudio] ? .nothingPlayed : .silence)
      }
    } else if progress.frames.onDisk >= patience {
      // A track with gaps is left out, because a gap has a warning of its own.
      warnings += tracks.filter {
        $0.peak == .silence && $0.service == .microphone && $0.gaps?.isEmpty != false
      }.map(SessionWarning.silentTrack)
    }
    if let secondsFree, secondsFree < leastSeconds { warnings.append(.disk(seconds: secondsFree)) }
    let lost = lost ?? progress.frames.lost
    if lost > 0 {
      // A loss that the writer has not counted yet has no position.
      let last = lost == progress.frames.lost ? progress.gaps.last?.position : nil
      warnings.append(.lost(lost, last: last?.duration(at: rate)))
    }
    return warnings
  }
}
