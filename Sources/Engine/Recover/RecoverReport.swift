internal import Audio
internal import CommandLine
internal import Control
internal import JSON
internal import Linux
internal import Store

/// The report of `recover`, or of its list.
struct RecoverReport: Report {
  var takes: [RecoveredTake] = []
  /// The parts that were listed and not recovered.
  var found: [InterruptedPart] = []
  /// The recordings of dead sessions whose parts are not at their paths.
  var missing: [SessionRecord] = []
  var failures: [(path: String, failure: Failure)] = []
  var isList = false

  var exitCode: ExitCode { failures.first?.failure.code ?? .done }

  func text(_ style: Style) -> String {
    let blocks =
      takes.map { $0.text(style) } + found.map { block($0, style) }
      + missing.map { missing($0, style) }
    guard blocks.isEmpty, failures.isEmpty else { return blocks.joined(separator: "\n") }
    return "There is nothing to recover.\n"
  }

  private func block(_ part: InterruptedPart, _ style: Style) -> String {
    var rows: [(term: String, meaning: String)] = []
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
    style.heading("\(printable(record.part ?? "")) is not there any more") + "\n"
      + definitions([
        ("Name", printable(record.name)), ("Began", localTime(of: record.began)),
        ("Advice", "where its directory was renamed: recorder recover DIRECTORY"),
      ])
  }

  var json: JSONObject {
    var members: JSONObject = [:]
    if isList {
      members["interrupted"] = .array(found.map(json))
    } else {
      members["recovered"] = .array(takes.map(\.json))
    }
    members["missing"] = .array(
      missing.map { record in
        [
          "name": record.name.json, "part": record.part?.json ?? nil,
          "began": record.began.moment,
        ]
      })
    members["failed"] = .array(
      failures.map { entry in
        [
          "path": .string(entry.path), "error": .string(entry.failure.message.fact),
          "exitCode": entry.failure.code.rawValue.json,
        ]
      })
    return members
  }

  private func json(_ part: InterruptedPart) -> JSONValue {
    var members = part.record?.json.object ?? [:]
    members.set("part", part.path)
    members.set("bytes", (try? FileStatus(of: part.path, following: false))?.size)
    return .object(members)
  }
}
