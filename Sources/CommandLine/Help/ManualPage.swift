internal import JSON

/// The page of `man recorder`, from the table of commands, in the macros of man(7).
struct ManualPage: Report {
  /// What `help` is asked for.
  static let topic = "manual"

  let table: CommandTable

  func text(_ style: Style) -> String {
    opening + Section.allCases.map(section).joined() + closing
  }

  var json: JSONObject { ["manual": text(.plain).json] }

  private var opening: String {
    """
    .TH RECORDER 1 "" "recorder \(Version.current)" "User Commands"
    .SH NAME
    recorder \\- record from microphones, and play sounds
    .SH SYNOPSIS
    .B recorder
    .I COMMAND
    [\\fIOPTIONS\\fR] ...
    .SH DESCRIPTION
    .B recorder
    records from ALSA into files that survive a crash, asks before it listens, and plays sounds that other
    terminals and scripts can control. A recording goes on in the background until it is stopped, from any
    terminal. Durations are written as 90, 1m30s, 2h or 1:30, sizes as 500M or 4G.

    """
  }

  private func section(_ section: Section) -> String {
    let commands = table.commands.filter { $0.section == section }
    guard !commands.isEmpty else { return "" }
    return ".SH \(roff(section.rawValue.uppercased()))\n" + commands.map(page).joined()
  }

  private func page(_ command: Command) -> String {
    let operands = command.operands.map { " " + $0.synopsis }.joined()
    let options = command.options.flatMap(\.options)
    return ".SS \"recorder \(roff(command.name + operands))\"\n\(roff(command.summary)).\n"
      + command.details.map { ".PP\n\(roff($0))\n" }.joined()
      + command.operands.map { item($0.synopsis, $0.summary) }.joined()
      + options.map { item($0.synopsis, $0.summary) }.joined()
      + command.examples.map { ".PP\n\\fB\(roff($0.line))\\fR\n.br\n\(roff($0.meaning))\n" }
      .joined()
  }

  private func item(_ term: String, _ meaning: String) -> String {
    ".TP\n\\fB\(roff(term.drop { $0 == " " }))\\fR\n\(roff(meaning)).\n"
  }

  private var closing: String {
    ".SH OPTIONS OF EVERY COMMAND\n"
      + GlobalOption.all.map { item($0.synopsis, $0.summary) }.joined()
      + ".SH EXIT STATUS\n"
      + ExitCode.allCases.map { item(String($0.rawValue), $0.meaning) }.joined()
      + ".SH ENVIRONMENT\n"
      + item("RECORDER_PERMISSION=deny", "Refuses the microphone for this call")
      + item("RECORDER_NO_PROMPT", "Nobody is asked for the permission")
      + item(
        "RECORDER_SOUND_THEME, RECORDER_SOUND_PROFILE",
        "The desktop's theme that is looked in first for sounds, and the loudspeakers, such as 5.1")
      + item("NO_COLOR", "Nothing is coloured")
      + item(
        "XDG_STATE_HOME, XDG_RUNTIME_DIR", "Where recorder keeps what it knows, and its sockets")
      + ".SH FILES\n"
      + item("~/.local/state/recorder/takes.jsonl", "What became of every recording, a line each")
      + item(
        "~/.local/share/recorder/sounds",
        "Your own sounds, which \"recorder sound add\" makes and \"recorder sound remove\" removes")
      + item(
        ".FILE.part", "What FILE is until its recording has ended; \"recorder recover\" repairs one"
      )
  }

  /// Text that no macro and no escape is found in.
  private func roff(_ text: some StringProtocol) -> String {
    let escaped = text.map { character in
      switch character {
      case "\\": "\\e"
      case "-": "\\-"
      case "'": "\\(aq"
      default: String(character)
      }
    }.joined()
    return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
  }
}
