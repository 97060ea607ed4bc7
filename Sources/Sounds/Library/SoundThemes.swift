internal import Linux

/// The sound themes of the desktop, by the Sound Theme Specification of freedesktop.org.
package struct SoundThemes: Hashable, Sendable {
  /// The directories of sounds, in the order of search.
  let places: [SoundDirectory]
  /// Those of the theme that was chosen and of what it inherits from, which come before the bundled
  /// sounds; none where no theme was chosen.
  let chosen: [SoundDirectory]
  /// Those in the user's own directory, where a sound may be disabled.
  let own: [SoundDirectory]

  /// The themes that `theme` inherits from follow it; `freedesktop` and then sounds of no theme
  /// come last.
  ///
  /// - Parameters:
  ///   - directories: the directories of themes, the user's first, such as `/usr/share/sounds`.
  ///   - isChosen: true if the user chose that theme.
  ///   - profile: the loudspeakers; `stereo` is searched after any other, then sounds for all.
  ///   - locale: the value of LC_MESSAGES.
  package init(
    in directories: [String], theme: String = "__custom", isChosen: Bool = false,
    profile: String = "stereo", locale: String? = nil
  ) {
    let profiles: [String?] = profile == "stereo" ? ["stereo", nil] : [profile, "stereo", nil]
    let locales = Self.locales(locale)
    var (places, chosen): ([SoundDirectory], [SoundDirectory]) = ([], [])
    for link in Theme.chain(from: theme, in: directories) {
      defer { if isChosen, link.name != "freedesktop" || theme == link.name { chosen = places } }
      for profile in profiles {
        let folders = link.folders(for: profile)
        for locale in locales {
          places += folders.flatMap { link.places($0, locale, in: directories) }
        }
      }
    }
    for locale in locales {
      places += directories.map {
        SoundDirectory($0, folder: locale, .theme(nil), endings: SoundDirectory.themeEndings)
      }
    }
    self.places = places
    self.chosen = chosen
    own = places.filter { place in
      directories.first.map { place.root == $0 || place.root.begins(with: $0 + "/") } ?? false
    }
  }

  /// The folders of a locale, its own first, and last the sounds that have none, under an empty
  /// name.
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

/// One theme, whose files may be spread over several directories.
private struct Theme {
  let name: String
  let index: ThemeIndex

  /// The first `index.theme` that there is describes the theme; nil where there is none.
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

  /// A theme and, depth first, all that it inherits from, each once, `freedesktop` the last.
  static func chain(from name: String, in directories: [String]) -> [Theme] {
    var seen: Set<String> = ["freedesktop"]
    var chain: [Theme] = []
    func add(_ name: String) {
      guard (try? SoundName(name)) != nil, seen.insert(name).inserted,
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

  func places(_ folder: String, _ locale: String, in directories: [String]) -> [SoundDirectory] {
    let parts = folder == "." ? [locale] : [folder, locale]
    let path = parts.filter { !$0.isEmpty }.joined(separator: "/")
    return directories.map {
      SoundDirectory(
        "\($0)/\(name)", folder: path, .theme(name), endings: SoundDirectory.themeEndings)
    }
  }
}

/// An `index.theme`: a file of sections with keys, as the Desktop Entry Specification has it.
struct ThemeIndex: Hashable, Sendable {
  /// A folder of a theme, and the loudspeakers that its sounds are made for.
  struct Folder: Hashable, Sendable {
    let name: String
    /// The loudspeakers, such as `stereo` or `5.1`; nil for sounds for all of them.
    let profile: String?
  }

  /// The themes that are searched after this one.
  let parents: [String]
  let folders: [Folder]

  /// Reads the text of an index; lines without a section or a key are skipped.
  init(_ text: String) {
    var sections: [String: [String: String]] = [:]
    var section = ""
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmed
      if line.begins(with: "["), line.ends(with: "]") {
        section = String(line.dropFirst().dropLast())
      } else if !line.begins(with: "#"), let equals = line.firstIndex(of: "=") {
        let key = String(line[..<equals].trimmed)
        sections[section, default: [:]][key] = String(line[line.index(after: equals)...].trimmed)
      }
    }
    let theme = sections["Sound Theme"] ?? [:]
    parents = Self.list(theme["Inherits"]).filter { (try? SoundName($0)) != nil }
    folders = Self.list(theme["Directories"]).filter(Self.isBeneath).map {
      Folder(name: $0, profile: sections[$0]?["OutputProfile"])
    }
  }

  /// Commas by the specification; its own example and some themes have spaces or semicolons.
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
