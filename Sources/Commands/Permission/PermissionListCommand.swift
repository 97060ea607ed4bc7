internal import Audio
internal import JSON
internal import Linux
internal import Permission

/// The command `permission list`, which lists the programs that record through PipeWire.
enum PermissionListCommand: RunnableCommand {
  static var words: [String] { ["permission", "list"] }

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "List programs with their decisions and last uses",
      details: [
        "Lists every program that has asked to record or has a decision, the last used one first. "
          + "recorder guard sees the programs that record through PipeWire, and enforces the decisions.",
        "The last uses come from the permission log, which keeps about 5 MiB.",
      ],
      examples: [
        Example("recorder permission list", "List the programs"),
        Example("recorder permission list --json", "List them as JSON"),
      ],
      ends: [.permissionUnusable])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let authority = try MicrophoneAccess.authority()
    let programs = try mapError(
      { MicrophoneAccess.failure($0, of: "read the permission log") }, authority.programs())
    return PermissionListReport(programs: programs)
  }
}

/// The report of the known programs.
struct PermissionListReport: Report {
  let programs: [KnownProgram]

  func text(_ style: Style) -> String {
    guard !programs.isEmpty else {
      return "No program has asked to record, and none has a decision.\n"
    }
    var times = LocalTimes()
    let rows = programs.map { program in
      [program.lastUse.map { times.text(of: $0.sinceEpoch) } ?? "never"]
        + program.decisions.map(\.status.words) + [printable(program.client.shown)]
    }
    let titles = ["Last use"] + Service.allCases.map(\.title) + ["Program"]
    let widths = titles.indices.dropLast().map { column in
      2 + (rows + [titles]).reduce(0) { max($0, $1[column].utf8.count) }
    }
    return ([style.heading(line(titles, widths))] + rows.map { line($0, widths) }).joined()
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    zip(cells, widths).map { padded($0, to: $1) }.joined() + (cells.last ?? "") + "\n"
  }

  var json: JSONObject { ["programs": .array(programs.map { .object($0.json) })] }
}

extension KnownProgram {
  fileprivate var json: JSONObject {
    var object: JSONObject = ["client": client.name.json]
    for decision in decisions { object.set(decision.service.rawValue, decision.status.word) }
    object.set("lastUse", lastUse?.rfc3339)
    return object
  }
}
