package import Control
internal import Decoding
internal import Files
internal import Linux

/// The sounds with names: the user's own sounds, the bundled sounds, and the sounds of the
/// desktop's themes.
package struct SoundLibrary: Sendable {
  /// An entry in a list of sounds.
  package struct Entry: Hashable, Sendable {
    /// The name to play the sound by.
    package let name: String
    /// The source of the sound.
    package let source: SoundSource
    /// The event that the sound announces, or nil if it is unknown.
    package var meaning: String?
    /// Other names for the sound.
    package var aliases: [String] = []
    /// Whether the sound is disabled.
    package var isDisabled = false
    /// The length of the sound, or nil if it must be read from the file.
    package var duration: Duration?
  }

  private let user: SoundDirectory
  private let bundled: BundledSounds?
  private let themes: SoundThemes

  /// A library with these three sources. A missing directory counts as empty.
  ///
  /// - Parameter user: the user's own directory, `$XDG_DATA_HOME/recorder/sounds`.
  package init(user: String, bundled: BundledSounds?, themes: SoundThemes) {
    self.user = SoundDirectory(root: user, source: .user, endings: SoundDirectory.userEndings)
    self.bundled = bundled
    self.themes = themes
  }

  /// The library for a program with this environment.
  ///
  /// - Parameter bundled: the directory of the bundled sounds, or nil for a library without them.
  package init(for environment: PlayerEnvironment, bundled: String?) {
    let data = environment["XDG_DATA_HOME"] ?? ""
    let shared = environment["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share"
    let directories = [data] + shared.split(separator: ":").map(String.init)
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first
    self.init(
      user: UserSounds(for: environment).path,
      bundled: bundled.flatMap { try? .init(in: $0) },
      themes: SoundThemes(
        in: directories.filter { $0.begins(with: "/") }.map { $0 + "/sounds" },
        theme: environment["RECORDER_SOUND_THEME"] ?? "__custom",
        isChosen: environment["RECORDER_SOUND_THEME"] != nil,
        profile: environment["RECORDER_SOUND_PROFILE"] ?? "stereo", locale: locale))
  }

  /// Opens the sound for a name.
  ///
  /// Searches all sources for the exact name, then for the name shortened at its last dash, and so
  /// on. So a sound for a specific event takes precedence over a sound for a more general event.
  package func open(_ typed: String) throws(SoundLibraryError) -> SoundLookup {
    for candidate in try SoundName(typed).shortened {
      if let found = try search(for: candidate, typed: typed) { return found }
    }
    let names = allNames
    let near = nearestNames(to: typed, among: names)
    throw .unknown(
      typed, nearest: near.isEmpty ? nearestNames(to: typed.lowercased(), among: names) : near)
  }

  /// Opens the sound with exactly this name; returns nil if there is none.
  package func open(exactly typed: String) throws(SoundLibraryError) -> SoundLookup? {
    try search(for: SoundName(typed).text, typed: typed)
  }

  /// Whether a sound has exactly this name. A disabled sound counts.
  package func has(_ name: String) -> Bool { (try? open(exactly: name)) != nil }

  /// Searches the user's own sounds, then the overrides for an event, the bundled sounds and the
  /// themes.
  private func search(for name: String, typed: String) throws(SoundLibraryError) -> SoundLookup? {
    if let found = try user.search(for: name) { return found }
    if bundled?.owner(ofAlias: typed) != nil || typed != name {
      if let found = try lookUpOverride(for: name) { return found }
    }
    if let found = try bundled?.search(for: name) { return found }
    for directory in themes.directories {
      if let found = try directory.search(for: name) { return found }
    }
    return nil
  }

  /// Finds an override of the bundled sound for an event: a file of the user that disables the
  /// sound, or a sound of the chosen theme. Returns nil if there is no override.
  private func lookUpOverride(for name: String) throws(SoundLibraryError) -> SoundLookup? {
    if let owner = bundled?.owner(ofAlias: name), user.disables(owner) {
      return .disabled(name: owner, source: .user)
    }
    if let directory = themes.own.first(where: { $0.disables(name) }) {
      return .disabled(name: name, source: directory.source)
    }
    for directory in themes.chosen {
      if let found = try directory.search(for: name) { return found }
    }
    return nil
  }

  /// Lists the sounds whose name, alias or meaning contains `search`, sorted by name, each name
  /// once.
  package func list(_ search: String = "") -> [Entry] {
    let wanted = search.lowercased()
    var seen: Set<Path> = []
    return everything.filter { seen.insert(Path($0.name)).inserted }
      .filter { wanted.isEmpty || $0.mentions(wanted) }.sorted { $0.name < $1.name }
  }

  /// All sounds. An alias is left out if the user has a sound of this name, and a theme's sound if
  /// its name is an alias.
  private var everything: [Entry] {
    let own = Self.entries(user)
    let wished =
      themes.chosen.flatMap(Self.entries) + themes.own.flatMap(Self.entries).filter(\.isDisabled)
    let ownNames = Set(names: (own + wished).map(\.name))
    let bundledEntries = (bundled?.entries ?? []).map { entry in
      Entry(
        name: entry.name, source: .bundled, meaning: entry.meaning,
        aliases: entry.aliases.filter { !ownNames.contains(name: $0) }, duration: entry.duration)
    }
    let aliases = Set(names: bundledEntries.flatMap(\.aliases))
    let themed = themes.directories.flatMap(Self.entries).filter {
      !aliases.contains(name: $0.name)
    }
    return own + bundledEntries + themed
  }

  /// Returns the list entry of a sound that was found.
  package func entry(of found: borrowing SoundLookup) -> Entry {
    let (name, source) = found.origin
    let known = everything.first {
      $0.source == source && ([$0.name] + $0.aliases).contains { $0.isSameName(as: name) }
    }
    return known ?? Entry(name: name, source: source)
  }

  private static func entries(_ directory: SoundDirectory) -> [Entry] {
    directory.names.map {
      Entry(name: $0.name, source: directory.source, isDisabled: $0.isDisabled)
    }
  }

  private var allNames: [String] {
    let names = list().flatMap { [$0.name] + $0.aliases }
    return Set(names: names).map(\.text).sorted()
  }
}

extension SoundLibrary.Entry {
  fileprivate func mentions(_ wanted: String) -> Bool {
    ([name, meaning ?? ""] + aliases).contains { $0.lowercased().holds(wanted) }
  }
}

extension PlayFile {
  /// Finds and opens a sound of an order; returns nil if the sound is disabled.
  static func find(_ wanted: WantedSound, in library: SoundLibrary) throws(SoundError) -> PlayFile?
  {
    if let path = wanted.path {
      let opened = try SoundError.of(wanted.name, open(path, named: wanted.name))
      return PlayFile(
        path, wanted.name, raw: wanted.raw, mix: wanted.mix, isTrusted: false, opened: opened)
    }
    switch try SoundError.of(wanted.name, library.open(wanted.name)) {
    case .disabled: return nil
    case .file(let file):
      let (path, isBundled) = (file.path, file.source == .bundled)
      return PlayFile(path, wanted.name, raw: nil, isTrusted: isBundled, opened: file.takeOpened())
    }
  }
}
