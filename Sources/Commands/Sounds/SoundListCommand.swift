internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Sounds

/// The command `sound list`, which lists the sounds that can be played.
package enum SoundListCommand: RunnableCommand {
  /// The two words after `recorder`.
  package static var words: [String] { ["sound", "list"] }

  /// The text to search for; all sounds are listed without it.
  package static let search = Operand<Text>(
    .optional, named: "SEARCH",
    summary: "List only sounds whose name, other names or meaning contain this text")

  /// The description of the command.
  package static var command: Command {
    Command(
      words, section: .sounds, summary: "List sounds that can be played by name",
      details: [
        "Your own sounds come first, then the bundled ones, then those of desktop "
          + "themes. If several sounds have the same name, it is listed once, with the sound that it plays.",
        "A sound also has the names that desktops use for events, such as dialog-error. "
          + "\"recorder sound info NAME\" shows them, and SEARCH finds them.",
      ],
      operands: [search],
      examples: [
        Example("recorder sound list", "List all sounds"),
        Example("recorder sound list battery", "List sounds for battery events"),
        Example("recorder sound list --json", "Print the list as JSON"),
      ])
  }
}

extension SoundListCommand {
  /// Lists the sounds that have the search text in a name or their meaning, or all sounds without a
  /// search text.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let environment = try PlayerEnvironment.current()
    let library = SoundLibrary(for: environment, bundled: BundledSounds.directory)
    let text = arguments[search].first?.value ?? ""
    let lengths = SoundLengths(in: (try? BaseDirectories(.current()).cache) ?? "")
    let sounds = try LibrarySound.all(library.list(text), in: library, lengths)
    return SoundListReport(sounds: sounds, search: text)
  }
}

/// The report of the sounds that can be played by name.
private struct SoundListReport: Report {
  let sounds: [LibrarySound]
  /// The search text, or empty for all sounds.
  let search: String

  var json: JSONObject { ["sounds": .array(sounds.map { .object($0.json) })] }

  func text(_ style: Style) -> String {
    if sounds.isEmpty {
      return search.isEmpty
        ? "There are no sounds.\n" : "No sound has \(quoted(search)) in a name or its meaning.\n"
    }
    let widths = sounds.map { columns(of: printable($0.entry.name)) }.filter { $0 <= 30 }
    let column = min((widths.max() ?? 30) + 4, textWidth / 2)
    return groups.map { group in
      style.heading(group.title) + "\n"
        + group.sounds.map { line($0, column, style) }.joined()
    }.joined(separator: "\n")
  }

  /// The user's own sounds, the bundled ones, and those of each theme.
  private var groups: [(title: String, sounds: [LibrarySound])] {
    let sources = Set(sounds.map(\.entry.source)).sorted { $0.rank < $1.rank }
    return sources.map { source in
      (source.title, sounds.filter { $0.entry.source == source })
    }
  }

  private func line(_ sound: LibrarySound, _ column: Int, _ style: Style) -> String {
    var line = SoundLine(name: printable(sound.entry.name))
    if sound.entry.isDisabled {
      line.words = "disabled"
    } else if let problem = sound.problem {
      line.words = "cannot be played: \(printable(problem))"
      return line.text(column: column, mark: style.warning)
    } else {
      // Rounded to the nearest hundredth of a second.
      line.length = sound.duration.map { String(clock($0 + .milliseconds(5)).dropLast(1)) } ?? "?"
      line.words = sound.entry.meaning.map(printable) ?? ""
    }
    return line.text(column: column)
  }
}

/// A sound in the list.
struct SoundLine {
  let name: String
  /// The length, or empty if there is none.
  var length = ""
  /// The meaning, or the reason why the sound cannot be played.
  var words = ""

  /// Returns the line of the sound. A name that is too wide gets its own line, so that the user can
  /// copy it for the next command. Words that are too wide are on the lines below.
  ///
  /// - Parameters:
  ///   - column: the column of the length.
  ///   - mark: styles the words.
  func text(
    column: Int, width: Int = textWidth, mark: (String) -> String = { $0 }
  ) -> String {
    let isWide = columns(of: name) + 4 > column
    let start = isWide ? padded("", to: column) : padded("  " + name, to: column)
    let head = start + (length.isEmpty ? "" : cell(length, width: 9))
    let isFitting = columns(of: head + words) <= width
    let first = trimmed(head + (isFitting ? mark(words) : ""))
    let below = isFitting ? [] : wrapped(words, width: width - 4).map { "    " + mark($0) }
    let lines = (isWide ? ["  " + name] : []) + (first.isEmpty ? [] : [first]) + below
    return lines.map { $0 + "\n" }.joined()
  }
}

extension SoundSource {
  /// The sort key for the order in which the library searches the sources.
  fileprivate var rank: String {
    switch self {
    case .user: "0"
    case .bundled: "1"
    case .theme(let name): name.map { "2" + $0 } ?? "3"
    }
  }

  /// The name of the source for the user.
  var title: String {
    switch self {
    case .user: "Your own"
    case .bundled: "Bundled"
    case .theme(let name): name.map { "Theme " + printable($0) } ?? "No theme"
    }
  }
}
