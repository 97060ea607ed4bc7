internal import Audio
internal import CommandLine
internal import Control
internal import JSON
internal import Linux
internal import Takes

/// The outcome for the part of a dead session.
struct RecoveredTake: Equatable {
  let part: String
  /// The result of the take; nil where the part had no sound and was removed.
  var result: RecordingResult?
  /// The bytes after the last whole frame, which were cut off.
  var removedBytes: Int64 = 0
  /// The time of the last write to the part, since 1970.
  var lastWrite: Duration

  func text(_ style: Style) -> String {
    guard let result, let path = result.path else {
      return style.heading("\(printable(part)) held no sound, and was removed") + "\n"
    }
    return style.heading("Recovered \(printable(path))") + "\n" + definitions(rows(result))
  }

  private func rows(_ result: RecordingResult) -> [(term: String, meaning: String)] {
    var rows = [
      ("Duration", "\(clock(result.duration)) (\(result.frames.onDisk.value) frames)"),
      ("Until", localTime(of: lastWrite)),
      ("Missing", "the audio after that: \(CrashCost.words)"),
    ]
    if removedBytes > 0 {
      rows.append(("Torn end", "\(counted(Int(removedBytes), "byte")) cut off"))
    }
    if result.marks > 0 { rows.append(("Marks", "\(result.marks)")) }
    if result.frames.lost > 0 {
      rows.append(("Gaps", "\(result.gaps.count), \(result.frames.lost.value) frames lost"))
    }
    if let sidecar = result.sidecar { rows.append(("Sidecar", printable(sidecar))) }
    if let message = result.message { rows.append(("Problem", printable(message))) }
    return rows.map { (term: $0.0, meaning: $0.1) }
  }

  var json: JSONValue {
    var members = result?.json.object ?? [:]
    members.set("part", part)
    members.set("removedBytes", removedBytes)
    members.set("lastWrite", WallTime(sinceEpoch: lastWrite).rfc3339)
    if result == nil { members["path"] = nil }
    return .object(members)
  }
}
