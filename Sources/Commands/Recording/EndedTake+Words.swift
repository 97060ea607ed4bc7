internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Store

extension EndedTake {
  /// The time and the reason of the end, and the current path of the file.
  var sentence: String {
    let lost = (result.total?.frames ?? result.frames).lost
    return result.endText(past)
      + (lost > 0 ? "; " + lossText(lost, at: result.stream.rate) : "")
      + (fileSentence.map { "; \($0)" } ?? "")
  }

  private var fileSentence: String? {
    guard let path = take.path.map(quoted) else { return nil }
    switch take.state {
    case .whole, .changed: return (result.reason.isCancelled ? "restored " : "saved ") + path
    case .missing: return "it was saved as \(path), which is missing"
    case .pruned: return "--keep has deleted \(path)"
    case .replaced: return "a later take has replaced \(path)"
    case .trashed: return "\(path) is in the trash; \"recorder undo\" undoes the last change"
    case .unfiled: return nil
    }
  }

  /// The take in the same form as in the list of takes.
  var json: JSONValue { .object(take.members(of: result.json.object, nil)) }
}

extension RecordingResult {
  /// Returns the end and its reason as a clause.
  ///
  /// - Parameter past: the time since the end.
  func endText(_ past: Duration) -> String {
    let cause = message.map(printable) ?? reason.words
    return "\(quoted(facts.name)) ended \(roughly(past)) ago: \(cause)"
  }
}

extension EndReason {
  /// The reason in a few words for a list, or nil for an end on request or at a limit.
  var failure: String? {
    switch self {
    case .stopped, .split, .duration, .size, .silence: nil
    case .disk: "writing failed"
    case .device: "device failed"
    case .permission: "permission revoked"
    case .expired: "permission expired"
    case .closedOutput: "pipe closed"
    case .interrupted: "interrupted"
    case .cancelled, .discarded: "cancelled"
    }
  }
}
