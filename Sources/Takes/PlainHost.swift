internal import Audio
package import Control
internal import Linux

/// A host with short texts for a program that has none of its own, and that wants to hear of nothing.
package struct PlainHost: TakeHost {
  package init() {}

  package func words(for fault: TakeFault) -> String {
    switch fault {
    case .file(let cause): "\(cause)"
    case .system(let cause): "\(cause)"
    case .removed(let path): "another program removed \(path)"
    case .unsaved(let cause): "what was recorded cannot be saved: \(cause.errno)"
    case .nameTaken(let path): "another file has the name \(path)"
    case .nameUncertain(let cause): "the name may not survive a power cut: \(cause)"
    case .sidecarExists(let name): "\(name) exists, so no sidecar was written"
    }
  }

  package func words(for cause: EndCause) -> String? {
    switch cause {
    case .access: "microphone access ended"
    case .diskFloor(let free): "only \(free) bytes are left on the disk"
    case .fileRemoved(let path): words(for: .removed(path))
    case .disk(let words), .device(let words): words
    case .deviceStalled: "the device delivered nothing any more"
    case .stopped, .cancelled, .duration, .size, .silence, .closedOutput: nil
    }
  }

  package func words(for remark: ResultRemark) -> String {
    switch remark {
    case .neverTriggered: "nothing triggered the recording"
    case .undelivered(let frames, _): "\(frames.value) frames were not delivered"
    }
  }

  package func words(for warning: SessionWarning) -> String { "\(warning.kind)" }

  package func label(for cut: TimelineCut) -> String {
    switch cut {
    case .paused(let length): "paused for \(length)"
    case .gap(let gap): "\(gap.length.value) frames lost (\(gap.cause.rawValue))"
    }
  }

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

  package func report(_ error: TakeError) {}
  package func reportChanged(_ path: String) {}
  package func completed(_ result: RecordingResult, of plan: RecordingPlan) {}
}
