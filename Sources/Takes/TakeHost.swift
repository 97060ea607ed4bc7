package import Audio
package import Control
internal import Linux
package import Recording

/// The program around a take: its words, its reports and its hooks.
///
/// The calls come from any thread of the take, and none of them may wait.
package protocol TakeHost: Sendable {
  /// Whether a file that the recording replaces goes to the trash.
  var trashesReplaced: Bool { get }
  /// Puts a fault into the words of a result's message.
  func words(for fault: TakeFault) -> String
  /// Puts the cause of an end into words; nil where the reason says all.
  func words(for cause: EndCause) -> String?
  /// Puts a remark on a result into words.
  func words(for remark: ResultRemark) -> String
  /// Puts a warning of the status into words.
  func words(for warning: SessionWarning) -> String
  /// Puts an error into the reply to a client.
  func refusal(for error: TakeError) -> Refusal
  /// Puts the label of a cut in the timeline into words.
  func label(for cut: TimelineCut) -> String
  /// Reports a file that could not be started; the take continues in the one before.
  func report(_ error: TakeError)
  /// Reports a file that retention skipped, because somebody has changed it.
  func reportChanged(_ path: String)
  /// Reports each file that has got its name.
  func completed(_ result: RecordingResult, of plan: RecordingPlan)
  /// Starts the delivery of what waits in a series, beside the take.
  func deliver(_ series: String)
}

extension TakeHost {
  /// False: the files of other programs do not fill the trash of the desktop.
  package var trashesReplaced: Bool { false }
  /// Leaves the files to the next `recorder deliver`.
  package func deliver(_ series: String) {}
}

/// A host for a program without texts of its own: it has short ones, and ignores reports.
package struct PlainHost: TakeHost {
  /// A host without state; any number of takes may share it.
  package init() {}

  /// The fault in one line, with paths unescaped.
  package func words(for fault: TakeFault) -> String {
    switch fault {
    case .file(let cause): "\(cause)"
    case .system(let cause): "\(cause)"
    case .removed(let path): "another program removed \(path)"
    case .unsaved(let cause): "what was recorded cannot be saved: \(cause.errno)"
    case .nameTaken(let path): "another file has the name \(path)"
    case .untrashed(let path, let cause): "\(path) was replaced, and no trash took it: \(cause)"
    case .nameUncertain(let cause): "the name may not survive a power cut: \(cause)"
    case .sidecarExists(let name): "\(name) exists, so no sidecar was written"
    case .damagedInside: "a part in the middle is damaged, and was kept"
    case .marksUnwritten: "its marks could not be put into it"
    case .unlisted(let cause): "it is not in the list of takes: \(cause)"
    case .unlistedFile(let path): "\(path) is not in the list of takes"
    case .unqueued(let cause):
      "it keeps its temporary name, because its delivery cannot be saved: \(cause)"
    case .undeliveredDeleted(let count):
      "\(count) files were deleted for space before they were delivered"
    }
  }

  /// The cause in one line; nil for an end that was asked for.
  package func words(for cause: EndCause) -> String? {
    switch cause {
    case .access: "microphone access ended"
    case .diskFloor(let free): "only \(free) bytes are left on the disk"
    case .fileRemoved(let path): words(for: .removed(path))
    case .disk(let words), .device(let words): words
    case .deviceStalled: "the device delivered nothing any more"
    case .stopped, .cancelled, .discarded, .duration, .size, .silence, .closedOutput: nil
    }
  }

  /// The remark in one line.
  package func words(for remark: ResultRemark) -> String {
    switch remark {
    case .neverTriggered: "nothing triggered the recording"
    case .undelivered(let frames, _): "\(frames.value) frames were not delivered"
    }
  }

  /// The kind of the warning, such as `disk`.
  package func words(for warning: SessionWarning) -> String { "\(warning.kind)" }

  /// The label of the cue at a cut.
  package func label(for cut: TimelineCut) -> String {
    switch cut {
    case .paused(let length): "paused for \(length)"
    case .gap(let gap): "\(gap.length.value) frames lost (\(gap.cause.rawValue))"
    }
  }

  /// A refusal with the error's name, and with the exit code of the command line for its kind.
  package func refusal(for error: TakeError) -> Refusal {
    let outcome: Outcome =
      switch error {
      case .ending: .notFound
      case .permission: .permissionDenied
      case .noFiles, .markText, .unknownRequest: .usage
      default: .failed
      }
    return Refusal(exit: outcome.rawValue, "the program that records refuses: \(error)")
  }

  /// Ignores the error: the take continues in its present file.
  package func report(_ error: TakeError) {}
  /// Ignores a file that retention skips.
  package func reportChanged(_ path: String) {}
  /// Ignores a complete file; there are no hooks.
  package func completed(_ result: RecordingResult, of plan: RecordingPlan) {}
}

/// A warning about a live recording, before it is too late.
package enum SessionWarning: Hashable, Sendable {
  /// Only digital silence has been captured so far.
  case silence
  /// The disk is full after this many more seconds.
  case disk(seconds: Double)
  case lost(FrameCount)
  /// The device is disconnected, for this long.
  case away(Duration)
  /// Files of the series that retention skips, because somebody has changed them.
  case changed([String])
  /// Files that were deleted for space before they were delivered.
  case deleted(Int)

  /// A warning of each kind is given once.
  package enum Kind: Hashable, Sendable {
    case silence, disk, loss, away, changed, deletion
  }

  /// The kind, of which a session reports one warning.
  package var kind: Kind {
    switch self {
    case .silence: .silence
    case .disk: .disk
    case .lost: .loss
    case .away: .away
    case .changed: .changed
    case .deleted: .deletion
    }
  }

  /// Zeros for this long mean a muted or a wrong device, not a quiet room.
  private static let patience = Duration.seconds(3)
  private static let leastSeconds = 300.0

  /// The warnings that follow from the progress of a take.
  package static func all(
    about progress: TakeProgress, lost: FrameCount? = nil, at rate: SampleRate, secondsFree: Double?
  ) -> [SessionWarning] {
    var warnings: [SessionWarning] = []
    if progress.highestPeak == 0, progress.leadingSilence >= FrameCount(patience, at: rate) {
      warnings.append(.silence)
    }
    if let secondsFree, secondsFree < leastSeconds { warnings.append(.disk(seconds: secondsFree)) }
    let lost = lost ?? progress.frames.lost
    if lost > 0 { warnings.append(.lost(lost)) }
    return warnings
  }
}
