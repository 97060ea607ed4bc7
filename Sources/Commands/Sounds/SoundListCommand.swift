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

  /// Returns the line of a sound. A name that is too wide gets its own line, so that the user can
  /// copy it for the next command.
  private func line(_ sound: LibrarySound, _ column: Int, _ style: Style) -> String {
    let name = "  " + printable(sound.entry.name)
    let isWide = columns(of: name) + 2 > column
    let head = isWide ? name + "\n" + padded("", to: column) : padded(name, to: column)
    let room = textWidth - column
    return head + facts(sound, upTo: room, style) + "\n"
  }

  private func facts(_ sound: LibrarySound, upTo room: Int, _ style: Style) -> String {
    if sound.entry.isDisabled { return "disabled" }
    if let problem = sound.problem {
      return style.warning(shortened("cannot be played: \(printable(problem))", to: room))
    }
    // Rounded to the nearest hundredth of a second.
    let length =
      sound.duration.map { String(clock($0 + .milliseconds(5)).dropLast(1)) } ?? "?"
    let meaning = sound.entry.meaning.map(printable) ?? ""
    return meaning.isEmpty
      ? length : shortened(cell(length, width: 9) + meaning, to: room)
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
