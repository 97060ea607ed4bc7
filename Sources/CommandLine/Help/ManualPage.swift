internal import Control
internal import JSON

/// The page of `man recorder`, made from the table of commands, in the macros of man(7).
struct ManualPage: Report {
  /// The topic's name for `help`.
  static let topic = "manual"

  let table: CommandTable

  func text(_ style: Style) -> String {
    opening + Section.allCases.map(section).joined() + closing
  }

  var json: JSONObject { ["manual": text(.plain).json] }

  private var opening: String {
    """
    .TH RECORDER 1 "\(Version.date)" "recorder \(Version.current)" "User Commands"
    .SH NAME
    recorder \\- record from microphones, and play sounds
    .SH SYNOPSIS
    .B recorder
    .I COMMAND
    [\\fIOPTIONS\\fR] ...
    .SH DESCRIPTION
    .B recorder
    records from ALSA into files that survive a crash, asks before it records,
    and plays sounds that other terminals and scripts can control.
    A recording continues in the background until it is stopped, from any terminal.
    Durations are written as 90, 1m30s, 2h or 1:30, sizes as 500M or 4G,
    levels as \\-40dB and volumes as 0.5 or \\-6dB.

    """
  }

  private func section(_ section: Section) -> String {
    let commands = table.commands.filter { $0.section == section }
    guard !commands.isEmpty else { return "" }
    return ".SH \(escaped(section.rawValue.uppercased()))\n" + commands.map(page).joined()
  }

  private func page(_ command: Command) -> String {
    let operands = command.operands.map { " " + $0.synopsis }.joined()
    let options = command.options.flatMap(\.options)
    return ".SS \"recorder \(escaped(command.name + operands))\"\n\(roff(command.summary + "."))"
      + command.details.map { ".PP\n\(roff($0))" }.joined()
      + command.operands.map { item($0.synopsis, $0.meaning) }.joined()
      + options.map { item($0.synopsis, $0.meaning) }.joined()
      + command.examples.map { ".PP\n\(bold($0.line)).br\n\(roff($0.meaning))" }.joined()
  }

  private func item(_ term: String, _ meaning: String) -> String {
    ".TP\n\(bold(String(term.drop { $0 == " " })))\(roff(meaning + "."))"
  }

  private func section(_ topic: HelpTopic) -> String {
    ".SH \(topic.title.uppercased())\n" + topic.paragraphs.map(roff).joined(separator: ".PP\n")
      + topic.entries.map { item($0.term, $0.meaning) }.joined()
  }

  /// The first example of each command, in a section of the page.
  private var examples: String {
    table.commands.compactMap(\.examples.first).map { item($0.line, $0.meaning) }.joined()
  }

  private static let relatives = [
    ("alsamixer", 1), ("amixer", 1), ("aplay", 1), ("ffmpeg", 1), ("pipewire", 1), ("pw-dump", 1),
    ("sox", 1), ("systemd.service", 5), ("wpctl", 1),
  ]

  private var relatives: String {
    let last = Self.relatives.count - 1
    return Self.relatives.enumerated().map { place, page in
      ".BR \(escaped(page.0)) (\(page.1))\(place == last ? "" : " ,")\n"
    }.joined()
  }

  private var closing: String {
    ".SH OPTIONS OF EVERY COMMAND\n"
      + GlobalOption.all.map { item($0.synopsis, $0.summary) }.joined()
      + HelpTopic.all.map(section).joined() + ".SH EXIT STATUS\n"
      + ExitCode.allCases.map { item(String($0.rawValue), $0.meaning) }.joined()
      + ".SH EXAMPLES\n" + examples + ".SH SEE ALSO\n" + relatives
  }

  /// Paragraphs as lines without macros and escapes of roff.
  private func roff(_ text: String) -> String {
    wrapped(escaped(text), width: 78).map(line).joined()
  }

  private func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR\n" }

  private func line(_ text: String) -> String { (text.hasPrefix(".") ? "\\&" : "") + text + "\n" }

  private func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "\\": "\\e"
      case "-": "\\-"
      case "'": "\\(aq"
      case "^": "\\(ha"
      case "~": "\\(ti"
      case "`": "\\(ga"
      default: String(character)
      }
    }.joined()
  }
}
