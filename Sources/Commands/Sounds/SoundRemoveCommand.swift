internal import Control
internal import JSON
internal import Linux
internal import Sounds
internal import Store

/// The command `sound remove`, which removes a sound of the user.
package enum SoundRemoveCommand: RunnableCommand {
  /// The two words after `recorder`.
  package static var words: [String] { ["sound", "remove"] }

  /// The sound to remove.
  package static let sound = Operand<SoundText>(
    .one, named: "NAME", completing: .names(.ownSounds),
    summary: "Exact name of one of your own sounds")

  /// The description of the command.
  package static var command: Command {
    Command(
      words, section: .sounds, summary: "Remove one of your own sounds",
      details: [
        "Moves the file to the trash; \"recorder undo\" restores it. If another sound has the same "
          + "name, \"recorder play\" then plays the other sound. If the trash cannot be used, the "
          + "file stays.",
        "A sound that comes with recorder or with a theme cannot be removed; \"recorder sound mute "
          + "NAME\" silences it.",
      ],
      operands: [sound],
      examples: [Example("recorder sound remove bark", "Remove the sound \"bark\"")],
      ends: [.notFound, .outputRefused, .incomplete])
  }
}

extension SoundRemoveCommand {
  /// Removes one of the user's own sounds. Throws if the user has no sound with the name.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let typed = arguments[sound].first?.value ?? ""
    let environment = try PlayerEnvironment.current()
    let library = SoundLibrary(for: environment, bundled: BundledSounds.directory)
    let own = UserSounds(for: environment)
    let name = try SoundName.checked(
      typed, advice: "your own sounds are in \(quoted(own.path))")
    return try mapError({ failure($0, name, in: library) }) {
      var trashed: [String] = []
      let paths = try own.remove(name) { files in
        try mapError({ Failure(changing: nil, $0) }) {
          _ = try TakeChanges(SessionClient().store).makeWay(at: files)
        }
        trashed = files
      }
      return SoundRemovedReport(
        name: typed, paths: paths, trashed: trashed, next: other(name, in: library))
    }
  }

  /// Returns the sound that `play` uses for the name if the user has no sound of that name, or nil
  /// if there is none.
  static func other(_ name: SoundName, in library: SoundLibrary) -> LibrarySound? {
    guard let found = try? library.open(exactly: name.text) else { return nil }
    return LibrarySound(library.entry(of: found), found)
  }

  private static func failure(
    _ error: any Error, _ name: SoundName, in library: SoundLibrary
  ) -> Failure {
    let (text, shown) = (quoted(name.text), printable(name.text))
    if let failure = error as? Failure { return failure }
    if !(error is UserSounds.Failure) {
      return Failure(.failed, "cannot remove", on: name.text, why: "\(error)")
    }
    guard let other = other(name, in: library) else {
      let own = library.list().filter { $0.source == .user }.map(\.name)
      let nearest = nearestNames(to: name.text, among: own).prefix(3).map(quoted)
      let advice = nearest.isEmpty ? nil : "did you mean \(alternatives(Array(nearest)))?"
      return Failure(.notFound, "you have no sound of your own called \(text)", advice: advice)
    }
    let location = other.path.map { ": \(quoted($0))" } ?? ""
    return Failure(
      .notFound, "\(text) \(other.entry.source.sentence) and cannot be removed\(location)",
      advice: "\"recorder sound mute \(shown)\" silences it")
  }
}

extension SoundSource {
  /// The source of a sound, as the end of a sentence about it.
  var sentence: String {
    switch self {
    case .user: "is your own"
    case .bundled: "comes with recorder"
    case .theme(let name):
      name.map { "comes from the theme \(quoted($0))" } ?? "does not belong to a theme"
    }
  }
}

/// The report of the removal of one of the user's own sounds.
private struct SoundRemovedReport: Report {
  let name: String
  /// The paths of the removed files.
  let paths: [String]
  /// The paths of the files that were moved to the trash. The other files were deleted.
  let trashed: [String]
  /// The sound that the name plays from now on, or nil if there is none.
  let next: LibrarySound?

  var json: JSONObject {
    [
      "removed": ["name": name.json, "paths": paths.json],
      "now": next.map { .object($0.json) } ?? .null,
    ]
  }

  func text(_ style: Style) -> String {
    let removed = paths.map { path in
      let isInTrash = trashed.contains { $0.isSameName(as: path) }
      return isInTrash
        ? "Moved \(printable(path)) to the trash\n" : "Deleted \(printable(path))\n"
    }.joined()
    guard let next else { return removed }
    let meaning = next.entry.name.isSameName(as: name) ? "" : " (\(quoted(next.entry.name)))"
    return removed
      + "\(quoted(name)) is now the sound that \(next.entry.source.sentence)\(meaning).\n"
  }
}
