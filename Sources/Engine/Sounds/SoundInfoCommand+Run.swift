package import CommandLine
internal import JSON
internal import Sounds

extension SoundInfoCommand: RunnableCommand {
  /// Finds a sound by its name and reads its file. Throws if the sound cannot be played.
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let typed = arguments[self.sound].first?.value ?? ""
    let environment = try PlayerContext.environment()
    let library = SoundLibrary(for: environment, bundled: BundledSounds.directory)
    let sound = try LibrarySound.read([find(typed, in: library)])[0]
    if let problem = sound.problem {
      throw Failure(
        .notASound, Message("cannot read", on: sound.path ?? typed, why: problem))
    }
    return SoundInfoReport(typed: typed, sound: sound)
  }

  private static func find(
    _ typed: String, in library: SoundLibrary
  ) throws(Failure) -> LibrarySound {
    do throws(SoundLibraryError) {
      let found = try library.open(typed)
      return LibrarySound(library.entry(of: found), found)
    } catch {
      throw Failure(finding: typed, error)
    }
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

  private var rows: [SoundFileReport.Row] {
    let entry = sound.entry
    var rows: [SoundFileReport.Row] = [("Source", entry.source.title.lowercasedFirst)]
    if typed != entry.name, !entry.aliases.contains(typed) {
      rows.insert(("Asked for", "\(printable(typed)), which has no sound of its own"), at: 0)
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
      ? "; \"recorder sound remove \(printable(sound.entry.name))\" enables it" : ""
    return "a play ends at once, without sound\(ending)"
  }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
