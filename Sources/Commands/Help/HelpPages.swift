internal import JSON

/// The help page of one command, made from the table.
struct CommandPage: Report {
  let command: Command

  func text(_ style: Style) -> String {
    var parts = ["recorder \(command.name): \(command.summary)\n", usage(style)]
    parts += command.details.map(paragraph)
    parts += blocks.filter { !$0.rows.isEmpty }.map { style.heading($0.title) + "\n" + $0.rows }
    return parts.joined(separator: "\n")
  }

  private var blocks: [(title: String, rows: String)] {
    let options = (command.options + [GlobalOption.group]).map { group in
      (group.title, definitions(group.options.map { ($0.synopsis, $0.choice) }))
    }
    return [("Operands", operands)] + options + [("Values", definitions(values))]
      + [("Examples", examples), ("Exit codes", exitCodeRows(exitCodes))]
  }

  /// The exit codes that the command can end with, in ascending order.
  var exitCodes: [ExitCode] {
    let all = Set(command.ends + [.done, .failed, .usage])
    return ExitCode.allCases.filter(all.contains)
  }

  private func usage(_ style: Style) -> String {
    let operands = command.operands.map { " " + $0.synopsis }.joined()
    return style.heading("Usage") + "\n  recorder \(command.name) [OPTIONS]\(operands)\n"
  }

  private var operands: String {
    definitions(command.operands.map { ($0.synopsis, $0.meaning) })
  }

  /// The kinds of values that the options take, each once, without plain text and lists of words.
  private var values: [Row] {
    var seen: Set<String> = []
    return command.allOptions.compactMap(\.value).filter { value in
      if case .words = value.completion { return false }
      return value.expectation != Text.expectation && seen.insert(value.placeholder).inserted
    }.map { ($0.placeholder, $0.expectation) }
  }

  private var examples: String {
    definitions(command.examples.map { ($0.line, $0.meaning) }, widest: 36)
  }

  var json: JSONObject {
    [
      "name": .string(command.name), "summary": .string(command.summary),
      "operands": .array(command.operands.map(\.json)),
      "options": .array(command.allOptions.map(\.json)),
      "exitCodes": .array(exitCodes.map(\.json)),
    ]
  }
}

extension OptionEntry {
  /// The summary, with the list of valid words if the value is one of a few words.
  fileprivate var choice: String {
    guard case .words = value?.completion else { return summary }
    return meaning
  }

  /// The summary with the expected value.
  var meaning: String { summary + (value.map { ": " + $0.expectation } ?? "") }
}

extension OperandEntry {
  /// The summary, with the list of valid words if the value is one of a few words.
  var meaning: String {
    guard case .words = value.completion else { return summary }
    return summary + ": " + value.expectation
  }
}

extension OperandEntry {
  fileprivate var json: JSONValue {
    ["name": .string(synopsis), "summary": .string(summary)]
  }
}

extension OptionEntry {
  fileprivate var json: JSONValue {
    var object: JSONObject = ["name": .string(spelling)]
    object.set("short", short.map { "-\($0)" })
    object.set("value", value?.placeholder)
    object.set("summary", summary)
    return .object(object)
  }
}

/// The list of all commands, or of the commands of one family.
struct OverviewPage: Report {
  let table: CommandTable
  var family: [String] = []
  /// The topics that do not belong to a single command.
  var topics: [Candidate] = []

  func text(_ style: Style) -> String {
    var parts = [
      paragraph(opening), style.heading("Usage") + "\n  recorder \(path)COMMAND [OPTIONS] ...\n",
    ]
    for section in Section.allCases {
      let commands = table.commands.filter { $0.section == section }
      guard !commands.isEmpty else { continue }
      let rows = definitions(commands.map { ($0.name, $0.summary) }, column: column)
      parts.append(style.heading(section.rawValue) + "\n" + rows)
    }
    if !topics.isEmpty { parts.append(topicRows(style)) }
    parts.append(
      paragraph("\"recorder COMMAND --help\" shows the options of a command, with examples."))
    if let guide = family.first.flatMap({ HelpTopic.guidesOfFamilies[$0] }) {
      parts.append(paragraph("\"recorder help \(guide)\" explains how to use these commands."))
    }
    return parts.joined(separator: "\n")
  }

  private func topicRows(_ style: Style) -> String {
    style.heading("Topics of \"recorder help\"") + "\n"
      + definitions(topics.map { ($0.text, $0.meaning) }, column: column)
  }

  /// The column of the summaries. It is the same in all sections, so that the page reads as one
  /// list.
  private var column: Int { (table.commands.map(\.name.count).max() ?? 0) + 4 }

  private var path: String { family.map { $0 + " " }.joined() }

  private var opening: String {
    family.isEmpty
      ? "recorder records from microphones and other inputs, and plays sounds."
      : "Commands of \"recorder \(family.joined(separator: " "))\"."
  }

  var json: JSONObject {
    let commands = table.commands.map { command -> JSONValue in
      ["name": .string(command.name), "summary": .string(command.summary)]
    }
    return ["commands": .array(commands)]
  }
}

/// The page of the exit codes and their meanings.
struct ExitCodePage: Report {
  /// The topic's name for `help`.
  static let topic = "exit-codes"

  func text(_ style: Style) -> String {
    style.heading("Exit codes") + "\n" + exitCodeRows(ExitCode.allCases)
  }

  var json: JSONObject { ["exitCodes": .array(ExitCode.allCases.map(\.json))] }
}

/// Formats the codes and their meanings in two columns.
func exitCodeRows(_ codes: [ExitCode], width: Int = textWidth) -> String {
  codes.map { code in
    let number = String(code.rawValue)
    return hanging(padded("", to: 5 - number.count) + number + "  ", code.meaning, width: width)
  }.joined()
}

extension ExitCode {
  /// The code with its meaning.
  var json: JSONValue {
    ["exit": rawValue.json, "reason": word.json, "meaning": .string(meaning)]
  }
}
