internal import Linux

/// The sound themes of the desktop, according to the Sound Theme Specification of freedesktop.org.
package struct SoundThemes: Hashable, Sendable {
  /// The directories with sounds, in search order.
  let directories: [SoundDirectory]
  /// The directories of the chosen theme and of the themes that it inherits from, or empty if no
  /// theme was chosen. They are searched before the bundled sounds.
  let chosen: [SoundDirectory]
  /// The directories under the user's own data directory. Files in these directories can disable
  /// bundled sounds.
  let own: [SoundDirectory]

  /// The directories of `theme`, followed by the directories of the themes that it inherits from.
  /// `freedesktop` comes after these, and sounds without a theme come last.
  ///
  /// - Parameters:
  ///   - directories: the directories with themes, such as `/usr/share/sounds`; the user's own
  ///     directory is first.
  ///   - isChosen: true if the user chose the theme.
  ///   - profile: the loudspeaker layout. Folders for this layout are searched first, then folders
  ///     for `stereo`, then folders without a layout.
  ///   - locale: the locale of messages, such as `de_DE.UTF-8`.
  package init(
    in directories: [String], theme: String = "__custom", isChosen: Bool = false,
    profile: String = "stereo", locale: String? = nil
  ) {
    let profiles: [String?] = profile == "stereo" ? ["stereo", nil] : [profile, "stereo", nil]
    let locales = Self.locales(locale)
    var (found, chosen): ([SoundDirectory], [SoundDirectory]) = ([], [])
    for link in Theme.chain(from: theme, in: directories) {
      defer {
        if isChosen, link.name != "freedesktop" || link.name.isSameName(as: theme) {
          chosen = found
        }
      }
      for profile in profiles {
        let folders = link.folders(for: profile)
        for locale in locales {
          found += folders.flatMap { link.soundDirectories($0, locale, in: directories) }
        }
      }
    }
    for locale in locales {
      found += directories.map {
        SoundDirectory(
          root: $0, folder: locale, source: .theme(nil), endings: SoundDirectory.themeEndings)
      }
    }
    self.directories = found
    self.chosen = chosen
    own = found.filter { sounds in
      directories.first.map { sounds.root.isSameName(as: $0) || sounds.root.begins(with: $0 + "/") }
        ?? false
    }
  }

  /// Returns the folder names for a locale, from the most specific to `C`, then an empty name for
  /// sounds without a locale.
  private static func locales(_ locale: String?) -> [String] {
    guard let locale, (try? SoundName(locale)) != nil else { return ["C", ""] }
    var names = [locale]
    for separator in ["@", ".", "_"] as [Character] {
      guard let last = names.last, let end = last.firstIndex(of: separator) else { continue }
      names.append(String(last[..<end]))
    }
    return names.filter { !$0.isEmpty && $0 != "C" && $0 != "POSIX" } + ["C", ""]
  }
}

/// A theme. Its files may be spread over several directories.
private struct Theme {
  let name: String
  let index: ThemeIndex

  /// Reads the first `index.theme` in the directories; returns nil if there is none.
  init?(_ name: String, in directories: [String]) {
    let found = directories.lazy.compactMap { directory -> String? in
      guard let root = try? Directory("\(directory)/\(name)"),
        let file = try? root.open(beneath: "index.theme", .nonBlocking),
        (try? file.status())?.kind == .regular,
        let bytes = try? file.readAll(upTo: 1 << 20)
      else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
    guard let text = found.first else { return nil }
    self.name = name
    index = ThemeIndex(text)
  }

  /// Returns a theme and all themes that it inherits from, depth first, each once. `freedesktop` is
  /// last.
  static func chain(from name: String, in directories: [String]) -> [Theme] {
    var seen: Set<Path> = [Path("freedesktop")]
    var chain: [Theme] = []
    func add(_ name: String) {
      guard (try? SoundName(name)) != nil, seen.insert(Path(name)).inserted,
        let theme = Theme(name, in: directories)
      else { return }
      chain.append(theme)
      for parent in theme.index.parents { add(parent) }
    }
    add(name)
    return chain + [Theme("freedesktop", in: directories)].compactMap { $0 }
  }

  func folders(for profile: String?) -> [String] {
    index.folders.filter { $0.profile == profile }.map(\.name)
  }

  func soundDirectories(
    _ folder: String, _ locale: String, in directories: [String]
  ) -> [SoundDirectory] {
    let parts = folder == "." ? [locale] : [folder, locale]
    let path = parts.filter { !$0.isEmpty }.joined(separator: "/")
    return directories.map {
      SoundDirectory(
        root: "\($0)/\(name)", folder: path, source: .theme(name),
        endings: SoundDirectory.themeEndings)
    }
  }
}

/// The contents of an `index.theme` file: sections with keys, as in the Desktop Entry
/// Specification.
struct ThemeIndex: Hashable, Sendable {
  /// A folder of a theme, for one loudspeaker layout.
  struct Folder: Hashable, Sendable {
    let name: String
    /// The loudspeaker layout, such as `stereo` or `5.1`, or nil if the sounds are for all layouts.
    let profile: String?
  }

  /// The themes to search after this one.
  let parents: [String]
  let folders: [Folder]

  /// Parses an index. Lines that are neither a section nor a key are skipped.
  init(_ text: String) {
    var sections: [Path: [Path: String]] = [:]
    var section = ""
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmed
      if line.begins(with: "["), line.ends(with: "]") {
        section = String(line.dropFirst().dropLast())
      } else if !line.begins(with: "#"), let equals = line.firstIndex(of: "=") {
        let key = Path(String(line[..<equals].trimmed))
        sections[Path(section), default: [:]][key] = String(
          line[line.index(after: equals)...].trimmed)
      }
    }
    let theme = sections[Path("Sound Theme")] ?? [:]
    parents = Self.list(theme[Path("Inherits")]).filter { (try? SoundName($0)) != nil }
    folders = Self.list(theme[Path("Directories")]).filter(Self.isBeneath).map {
      Folder(name: $0, profile: sections[Path($0)]?[Path("OutputProfile")])
    }
  }

  /// Splits at commas, as specified, and at spaces and semicolons, which the example in the
  /// specification and some themes use.
  private static func list(_ value: String?) -> [String] {
    (value ?? "").split { ", ;".contains($0) }.map(String.init)
  }

  private static func isBeneath(_ folder: String) -> Bool {
    !folder.begins(with: "/") && !folder.pathNames.contains("..")
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var rest = self
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}
