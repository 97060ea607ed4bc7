internal import Control
internal import JSON
internal import Linux
internal import Store

extension EndedTake {
  /// The time and the reason of the end, and the current path of the file.
  var sentence: String {
    let cause = result.message.map(printable) ?? result.reason.words
    return "\(quoted(result.name)) ended \(roughly(past)) ago: \(cause)"
      + (place.map { "; \($0)" } ?? "")
  }

  private var place: String? {
    guard let path = take.path.map(quoted) else { return nil }
    switch take.state {
    case .whole, .changed: return (result.reason.isCancelled ? "restored " : "saved ") + path
    case .missing: return "it was saved as \(path), which is gone"
    case .replaced: return "a later take has replaced \(path)"
    case .trashed: return "\(path) is in the trash; \"recorder undo\" takes the last change back"
    case .unfiled: return nil
    }
  }

  /// The take in the form of the list of takes.
  var json: JSONValue { .object(take.members(of: result.json.object, nil)) }
}

extension EndReason {
  /// The reason in a sentence about a recording. Failures of disks and devices have a message
  /// instead.
  fileprivate var words: String {
    switch self {
    case .stopped, .split: "it was stopped"
    case .duration: "its --duration was over"
    case .size: "it reached its --max-size"
    case .silence: "it was silent for as long as --stop-on-silence says"
    case .disk: "the disk is full or failed"
    case .device: "the device went away"
    case .permission: "the microphone access was revoked"
    case .expired: "the microphone access expired"
    case .closedOutput: "the program that read it ended"
    case .interrupted: "its process died"
    case .cancelled, .discarded: "it was cancelled"
    }
  }
}
