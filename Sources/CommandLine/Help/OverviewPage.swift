internal import JSON

/// The list of all commands, or of one family.
struct OverviewPage: Report {
  let table: CommandTable
  var family: [String] = []

  func text(_ style: Style) -> String {
    var parts = [opening, style.heading("Usage") + "\n  recorder \(path)COMMAND [OPTIONS] ...\n"]
    for section in Section.allCases {
      let commands = table.commands.filter { $0.section == section }
      guard !commands.isEmpty else { continue }
      let rows = definitions(commands.map { ($0.name, $0.summary) }, column: column)
      parts.append(style.heading(section.rawValue) + "\n" + rows)
    }
    parts.append("\"recorder COMMAND --help\" shows the options of a command, with examples.\n")
    return parts.joined(separator: "\n")
  }

  /// One column for all sections, so that the page reads as one list.
  private var column: Int { (table.commands.map(\.name.count).max() ?? 0) + 4 }

  private var path: String { family.map { $0 + " " }.joined() }

  private var opening: String {
    family.isEmpty
      ? "recorder records from microphones and other inputs, and plays sounds.\n"
      : "Commands of \"recorder \(family.joined(separator: " "))\".\n"
  }

  var json: JSONObject {
    let commands = table.commands.map { command -> JSONValue in
      ["name": .string(command.name), "summary": .string(command.summary)]
    }
    return ["commands": .array(commands)]
  }
}
