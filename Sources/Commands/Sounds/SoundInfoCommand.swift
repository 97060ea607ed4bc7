internal import Control
internal import JSON
internal import Linux
internal import Sounds

/// The command `sound info`, which shows the file that a name plays.
package enum SoundInfoCommand: RunnableCommand {
  /// The two words after `recorder`.
  package static var words: [String] { ["sound", "info"] }

  /// The sound to describe.
  package static let sound = Operand<SoundText>(
    .one, named: "NAME", completing: .names(.librarySounds),
    summary: "Name of a sound, as for play")

  /// The description of the command.
  package static var command: Command {
    Command(
      words, section: .sounds, summary: "Show the sound that a name plays",
      details: [
        "Shows the source of the sound, its meaning, its other names and the format of its file. For "
          + "a file without a name in the library, use \"recorder info FILE\"."
      ],
      operands: [sound],
      examples: [
        Example("recorder sound info done", "Show the source of \"done\""),
        Example("recorder sound info message-new-email", "Show the sound of this event"),
      ],
      ends: [.notFound, .notASound])
  }
}

extension SoundInfoCommand {
  /// Finds a sound by its name and reads its file. Throws if the sound cannot be played.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let typed = arguments[self.sound].first?.value ?? ""
    let environment = try PlayerEnvironment.current()
    let library = SoundLibrary(for: environment, bundled: BundledSounds.directory)
    let sound = try LibrarySound.read([find(typed, in: library)])[0]
    if let problem = sound.problem {
      throw Failure(.notASound, "cannot read", on: sound.path ?? typed, why: problem)
    }
    return SoundInfoReport(typed: typed, sound: sound)
  }

  private static func find(_ typed: String, in library: SoundLibrary) throws -> LibrarySound {
    let found = try mapError(
      { Failure(explaining: $0).advising(file: typed) }, library.open(typed))
    return LibrarySound(library.entry(of: found), found)
  }
}

/// The report about the sound that a name plays.
private struct SoundInfoReport: Report {
  /// The name that the user typed.
  let typed: String
  let sound: LibrarySound

  var json: JSONObject {
    var members = sound.json
    for member in sound.file?.members.members ?? [] where members[member.key] == nil {
      members[member.key] = member.value
    }
    return ["sound": .object(members)]
  }

  func text(_ style: Style) -> String {
    style.heading(printable(sound.entry.name)) + "\n" + definitions(rows)
  }

  private var rows: [Row] {
    let entry = sound.entry
    var rows: [Row] = [("Source", entry.source.title.lowercasedFirst)]
    if !([entry.name] + entry.aliases).contains(name: typed) {
      rows.insert(("Requested name", "\(printable(typed)), which has no sound of its own"), at: 0)
    }
    if let meaning = entry.meaning { rows.append(("Meaning", printable(meaning))) }
    if !entry.aliases.isEmpty {
      rows.append(("Also", entry.aliases.map(printable).joined(separator: ", ")))
    }
    if entry.isDisabled { rows.append(("Disabled", disabled)) }
    if let path = sound.path { rows.append(("File", printable(path))) }
    return rows + (sound.file?.rows ?? [])
  }
}

extension SoundInfoReport {
  private var disabled: String {
    let ending =
      sound.entry.source == .user
      ? "; to enable it: recorder sound remove \(printable(sound.entry.name))" : ""
    return "playing this sound does nothing\(ending)"
  }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
