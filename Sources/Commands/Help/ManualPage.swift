internal import Control
internal import JSON
internal import Linux

/// The manual page `recorder`, made from the table of commands, in the macros of man(7).
struct ManualPage: Report {
  /// The topic's name for `help`.
  static let topic = "manual"

  let table: CommandTable

  func text(_ style: Style) -> String {
    opening + Section.allCases.map(section).joined() + closing
  }

  var keepsLines: Bool { true }

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
    records from ALSA and PipeWire into files that survive a crash,
    asks for permission first,
    and plays sounds that other terminals and scripts can control.
    A recording continues in the background until it is stopped, from any terminal.
    Durations are written as 90, 1m30s, 2h or 1:30, sizes as 500M or 4G,
    levels as \\-40dB and volumes as 0.5, 50% or \\-6dB.

    """
  }

  private func section(_ section: Section) -> String {
    let commands = table.commands.filter { $0.section == section }
    guard !commands.isEmpty else { return "" }
    return ".SH \(Roff.escaped(section.rawValue.uppercased()))\n" + commands.map(page).joined()
  }

  private func page(_ command: Command) -> String {
    let operands = command.operands.map { " " + $0.synopsis }.joined()
    let options = command.options.flatMap(\.options)
    return ".SS \"recorder \(Roff.escaped(command.name + operands))\"\n"
      + Roff.text(command.summary + ".") + command.details.map { ".PP\n\(Roff.text($0))" }.joined()
      + command.operands.map { Roff.item($0.synopsis, $0.meaning) }.joined()
      + options.map { Roff.item($0.synopsis, $0.meaning) }.joined()
      + command.examples.map { ".PP\n\(Roff.bold($0.line)).br\n\(Roff.text($0.meaning))" }.joined()
  }

  private func section(_ topic: HelpTopic) -> String {
    ".SH \(topic.title.uppercased())\n" + Roff.text(of: topic.blocks)
  }

  /// The first example of each command, for a section of the page.
  private var examples: String {
    table.commands.compactMap(\.examples.first).map { Roff.item($0.line, $0.meaning) }.joined()
  }

  private static let relatives: [(String, Int)] =
    [
      ("alsamixer", 1), ("amixer", 1), ("aplay", 1), ("ffmpeg", 1), ("pipewire", 1), ("pw-dump", 1),
      ("sox", 1), ("systemd.service", 5), ("wpctl", 1),
    ] + HelpTopic.pages.map { ("recorder-\($0)", 7) }

  private var closing: String {
    ".SH OPTIONS OF EVERY COMMAND\n"
      + GlobalOption.all.map { Roff.item($0.synopsis, $0.summary) }.joined()
      + HelpTopic.sections.map(section).joined() + ".SH EXIT STATUS\n"
      + ExitCode.allCases.map { Roff.item(String($0.rawValue), $0.meaning) }.joined()
      + ".SH EXAMPLES\n" + examples + ".SH SEE ALSO\n" + Roff.pages(Self.relatives)
  }
}

/// The manual page of a topic, in section 7.
struct TopicManualPage: Report {
  let topic: HelpTopic

  func text(_ style: Style) -> String {
    let examples = topic.examples.map { Roff.item($0.line, $0.meaning) }.joined()
    return opening + Roff.text(of: topic.blocks)
      + (examples.isEmpty ? "" : ".SH EXAMPLES\n" + examples)
      + ".SH SEE ALSO\n" + Roff.pages(relatives)
  }

  private var opening: String {
    let name = "recorder-\(topic.name)"
    let summary = topic.summary.prefix(1).lowercased() + topic.summary.dropFirst()
    return """
      .TH \(name.uppercased()) 7 "\(Version.date)" "recorder \(Version.current)" "Topics of recorder"
      .SH NAME
      \(Roff.escaped(name)) \\- \(Roff.escaped(summary))
      .SH DESCRIPTION

      """
  }

  var keepsLines: Bool { true }

  var json: JSONObject { ["manual": text(.plain).json] }

  private var relatives: [(String, Int)] {
    [("recorder", 1)]
      + HelpTopic.pages.filter { !$0.isSameName(as: topic.name) }.map { ("recorder-\($0)", 7) }
  }
}

/// Text with the macros of man(7).
private enum Roff {
  /// Formats the blocks of a help page. The first block follows a heading.
  static func text(of blocks: [PageBlock]) -> String {
    var isBelowHeading = true
    return blocks.map { block in
      defer { if case .heading = block { isBelowHeading = true } else { isBelowHeading = false } }
      let gap = isBelowHeading ? "" : ".PP\n"
      switch block {
      case .heading(let text, 2): return ".SH \(escaped(text.uppercased()))\n"
      case .heading(let text, _): return ".SS \(escaped(text))\n"
      case .paragraph(let words): return gap + text(words)
      case .item(let mark, let words):
        return ".IP \(mark == "-" ? "\\(bu" : mark) 4\n\(text(words))"
      case .code(let lines): return gap + ".EX\n" + lines.map(bold).joined() + ".EE\n"
      case .table: return block.entries.map { item($0.term, $0.meaning) }.joined()
      }
    }.joined()
  }

  /// Formats a term with its meaning.
  static func item(_ term: String, _ meaning: String) -> String {
    ".TP\n\(bold(String(term.drop { $0 == " " })))\(text(meaning + "."))"
  }

  /// Formats references to other pages.
  static func pages(_ pages: [(String, Int)]) -> String {
    pages.enumerated().map { index, page in
      ".BR \(escaped(page.0)) (\(page.1))\(index == pages.count - 1 ? "" : " ,")\n"
    }.joined()
  }

  /// Formats a text as wrapped lines. Characters that roff would interpret are escaped.
  static func text(_ text: String) -> String {
    wrapped(escaped(text), width: 78).map(line).joined()
  }

  /// Formats a line in bold letters.
  static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR\n" }

  private static func line(_ text: String) -> String {
    (text.begins(with: ".") ? "\\&" : "") + text + "\n"
  }

  /// Escapes the characters that roff would replace.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { character in
      switch character {
      case "\\": "\\e"
      case "-": "\\-"
      case "'": "\\(aq"
      case "^": "\\(ha"
      case "~": "\\(ti"
      case "`": "\\(ga"
      case _ where !character.isASCII:
        // Escaped by its number, because groff reads only Latin-1.
        "\\[u" + PrintableText.hexadecimal(character.value, width: 4) + "]"
      default: String(character)
      }
    }.joined()
  }
}
