internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Store
internal import Takes

/// The report of `recover` or of `recover --list`.
struct RecoverReport: Report {
  var takes: [RecoveredTake] = []
  /// The parts that were only listed.
  var found: [InterruptedPart] = []
  /// The recordings of dead sessions whose parts do not exist at their paths.
  var missing: [SessionRecord] = []
  /// The files of other programs that were repaired, or can be repaired.
  var repairs: [FileRepair] = []
  var failures: [(path: String, failure: Failure)] = []
  var isList = false

  var exitCode: ExitCode { failures.first?.failure.code ?? .done }

  func text(_ style: Style) -> String {
    let blocks =
      takes.map { $0.text(style) } + found.map { block($0, style) }
      + missing.map { missing($0, style) } + repairs.map { $0.text(style) }
    guard blocks.isEmpty, failures.isEmpty else { return blocks.joined(separator: "\n") }
    return "There is nothing to recover.\n"
  }

  private func block(_ part: InterruptedPart, _ style: Style) -> String {
    var rows: [Row] = []
    if let record = part.record {
      rows.append(("Name", printable(record.name)))
      rows.append(("Began", localTime(of: record.began)))
    }
    if let status = try? FileStatus(of: part.path, following: false) {
      rows.append(("Until", localTime(of: status.modified)))
      rows.append(("Size", "\(ByteCount(status.size))"))
    }
    return style.heading(printable(part.path)) + "\n" + definitions(rows)
  }

  private func missing(_ record: SessionRecord, _ style: Style) -> String {
    style.heading("\(printable(record.part ?? "")) is missing: the recording was interrupted")
      + "\n"
      + definitions([
        ("Name", printable(record.name)), ("Began", localTime(of: record.began)),
        ("Advice", "if it was moved, give its path: recorder recover PATH"),
      ])
  }

  var json: JSONObject {
    var members: JSONObject = [:]
    if isList {
      members["interrupted"] = .array(found.map(json))
    } else {
      members["recovered"] = .array(takes.map(\.json))
    }
    members["repaired"] = .array(repairs.map(\.json))
    members["missing"] = missing.missingParts
    members["failed"] = .array(failures.map { $0.failure.json(at: $0.path) })
    return members
  }

  private func json(_ part: InterruptedPart) -> JSONValue {
    var members = part.record?.listed ?? [:]
    members.set("part", part.path)
    members.set("bytes", (try? FileStatus(of: part.path, following: false))?.size)
    return .object(members)
  }
}

extension RecoveredTake {
  fileprivate func text(_ style: Style) -> String {
    guard let result, result.path != nil else {
      let lost: [Row] = lostMarks.map { ("Lost mark", printable($0)) }
      return style.heading("\(pathText(part)) contained no audio and was removed") + "\n"
        + definitions(lost)
    }
    let files = alternatives(result.files.map(pathText), "and")
    return style.heading("Recovered \(files)") + "\n" + definitions(rows(result))
  }

  private func rows(_ result: RecordingResult) -> [Row] {
    let frames = counted(Int(result.frames.onDisk.value), "frame")
    var rows: [Row] = [
      ("Duration", "\(clock(result.duration)) (\(frames))"),
      ("Until", localTime(of: lastWrite)),
      ("Missing", CrashCost.loss(wasKilled: wasKilled)),
    ]
    if removedBytes > 0 {
      rows.append(("Damaged end", "\(counted(Int(removedBytes), "byte")) cut off"))
    }
    if result.marks > 0 { rows.append(("Marks", "\(result.marks)")) }
    if result.frames.lost > 0 {
      let lost = lossText(result.frames.lost, at: result.stream.rate)
      rows.append(("Gaps", "\(result.gaps.count), \(lost)"))
    }
    if let sidecar = result.sidecar { rows.append(("Sidecar", pathText(sidecar))) }
    if let message = result.message { rows.append(("Problem", printable(message))) }
    return rows
  }

  fileprivate var json: JSONValue {
    var members = result?.json.object ?? [:]
    members.set("part", part)
    members.set("removedBytes", removedBytes)
    members.set("lastWrite", WallTime(sinceEpoch: lastWrite).rfc3339)
    if result == nil { members["path"] = nil }
    if !lostMarks.isEmpty { members["markTexts"] = .array(lostMarks.map(\.json)) }
    return .object(members)
  }
}
