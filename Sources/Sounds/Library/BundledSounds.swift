internal import JSON
internal import Linux

/// The sounds that are installed with the program, as listed in their index.
package struct BundledSounds: Sendable {
  /// A bundled sound.
  package struct Entry: Hashable, Sendable {
    /// The name of the sound and of its file.
    package let name: String
    /// The event that the sound announces.
    package let meaning: String
    /// The aliases of the sound in the Sound Naming Specification.
    package let aliases: [String]
    /// The length of the sound.
    package let duration: Duration
  }

  /// All bundled sounds, in the order of the index.
  package let entries: [Entry]
  private let soundDirectory: SoundDirectory
  private let owners: [Path: String]

  /// Reads `index.json` in `directory`. The sounds are in its subdirectory `Sounds`.
  package init(in directory: String) throws {
    let bytes = try Descriptor(opening: directory + "/index.json").readAll(upTo: 1 << 20)
    let root = try JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: 1 << 20))
    guard let object = root.object else { throw JSONError.missing(key: "sounds") }
    entries = try object.value("sounds", as: [JSONObject].self).map { sound in
      Entry(
        name: try SoundName(sound.value("name")).text, meaning: try sound.value("meaning"),
        aliases: try sound.value("names"), duration: try sound.value("seconds"))
    }
    soundDirectory = SoundDirectory(
      root: directory, folder: "Sounds", source: .bundled, endings: ["wav"])
    var owners: [Path: String] = [:]
    for entry in entries { for alias in entry.aliases { owners[Path(alias)] = entry.name } }
    for entry in entries { owners[Path(entry.name)] = entry.name }
    self.owners = owners
  }

  /// The name of the sound with this alias, such as an event of the desktop, or nil if no sound has
  /// this alias.
  func owner(ofAlias name: String) -> String? {
    owners[Path(name)].flatMap { $0.isSameName(as: name) ? nil : $0 }
  }

  /// Opens the file of a sound by its name or one of its aliases; returns nil if there is none.
  func search(for name: String) throws(SoundLibraryError) -> SoundLookup? {
    guard let owner = owners[Path(name)] else { return nil }
    return try soundDirectory.search(for: owner)
  }
}

extension BundledSounds {
  /// Finds the directory of the bundled sounds for the program at the path `program`. Searches the
  /// installation of the program, the sources that it was built from, and the default installation
  /// directories. Returns nil if no directory has the sounds.
  package static func directory(for program: String?) -> String? {
    let above = (program?.directoriesAbove ?? []).prefix(6)
    let near = above.flatMap { [$0.path(of: "share/recorder"), $0.path(of: "Resources")] }
    let candidates = near + ["/usr/local/share/recorder", "/usr/share/recorder"]
    // SwiftPM stores the sources of a dependency in the directory `.build/checkouts`.
    let checkouts = candidates.filter { $0.ends(with: "/.build/Resources") }
      .map { String($0.dropLast("Resources".count)) + "checkouts/recorder/Resources" }
    return (candidates + checkouts).first { (try? FileStatus(of: $0 + "/index.json")) != nil }
  }
}
