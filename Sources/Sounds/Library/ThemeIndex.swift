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
      if line.hasPrefix("["), line.hasSuffix("]") {
        section = String(line.dropFirst().dropLast())
      } else if !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
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
    !folder.hasPrefix("/") && !folder.split(separator: "/").contains("..")
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
