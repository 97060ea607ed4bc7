package import Linux

/// A directory of sounds. A file is named after its sound, with one of several extensions. If a
/// sound has several files, the file whose extension is first in `endings` is used.
struct SoundDirectory: Hashable, Sendable {
  /// The base directory of the files. No symbolic link may lead out of it.
  let root: String
  /// The subdirectory of `root` that holds the sounds, or empty for `root` itself.
  var folder = ""
  let source: SoundSource
  let endings: [String]

  /// The extension of an empty file that disables the sound.
  static let disabled = "disabled"
  /// The extensions of sounds in themes, in the order of the Sound Theme Specification.
  static let themeEndings = [disabled, "oga", "ogg", "wav"]
  /// The extensions of the user's own sounds.
  static let userEndings =
    themeEndings + [
      "flac", "opus", "mp3", "aiff", "aif", "aifc", "au", "caf", "w64", "rf64", "wave",
    ]

  /// Opens the sound with exactly this name; returns nil if there is none.
  func search(for name: String) throws(SoundLibraryError) -> SoundLookup? {
    guard let directory = try? Directory(root) else { return nil }
    for ending in endings {
      let file = folder.isEmpty ? "\(name).\(ending)" : "\(folder)/\(name).\(ending)"
      if let found = try open(file, name: name, in: directory) {
        if ending != Self.disabled { return .file(found) }
        return .disabled(name: name, source: source)
      }
    }
    return nil
  }

  /// Returns true if a file disables the sound.
  func disables(_ name: String) -> Bool {
    guard let found = try? search(for: name) else { return false }
    if case .disabled = found { return true }
    return false
  }

  /// Opens a file; returns nil if it does not exist.
  func open(
    _ file: String, name: String, in directory: borrowing Directory
  ) throws(SoundLibraryError) -> SoundFile? {
    let path = directory.path(of: file)
    do {
      // O_NONBLOCK: otherwise, opening a pipe would wait for a writer.
      let descriptor = try directory.open(beneath: file, .nonBlocking)
      let status = try descriptor.status()
      if status.kind == .regular {
        return SoundFile(
          descriptor: descriptor, path: path, status: status, name: name, source: source)
      }
    } catch {
      if error.errno == .noSuchFile || error.errno == .notDirectory { return nil }
      throw .unusable(path: path, error)
    }
    throw .notRegular(path: path)
  }

  /// The names of the sounds in the directory, including disabled ones.
  var names: [(name: String, isDisabled: Bool)] {
    let path = folder.isEmpty ? root : "\(root)/\(folder)"
    guard let directory = try? Directory(path), let files = try? directory.names() else {
      return []
    }
    var found: [Path: Bool] = [:]
    for file in files {
      guard let dot = file.lastIndex(of: "."), (try? SoundName(String(file[..<dot]))) != nil,
        endings.contains(String(file[file.index(after: dot)...]))
      else { continue }
      let name = Path(String(file[..<dot]))
      found[name] = found[name] == true || file.ends(with: "." + Self.disabled)
    }
    return found.map { ($0.key.text, $0.value) }.sorted { $0.name < $1.name }
  }
}

/// An open sound file, and its status when it was opened.
struct OpenedSound: ~Copyable, Sendable {
  let file: Descriptor
  let status: FileStatus
}

/// The open file of a sound that was found by name.
package struct SoundFile: ~Copyable, Sendable {
  /// The descriptor of the file.
  package let descriptor: Descriptor
  /// The path of the file, for messages and as the key of the decoded sound in the cache.
  package let path: String
  /// The status of the file, which is a regular file.
  package let status: FileStatus
  /// The name of the sound, which may be shorter than the requested name.
  package let name: String
  /// The source of the sound.
  package let source: SoundSource

  /// Returns the open file for a playback.
  consuming func takeOpened() -> OpenedSound {
    OpenedSound(file: descriptor, status: status)
  }
}

/// The result of a search: a file, or a disabled sound.
package enum SoundLookup: ~Copyable, Sendable {
  case file(SoundFile)
  /// The sound is disabled. Playing it succeeds, but produces no sound.
  case disabled(name: String, source: SoundSource)

  /// The name and the source of the sound that was found.
  package var origin: (name: String, source: SoundSource) {
    switch self {
    case .file(let file): (file.name, file.source)
    case .disabled(let name, let source): (name, source)
    }
  }
}

/// The source of a sound.
package enum SoundSource: Hashable, Sendable {
  /// The user's own directory.
  case user
  /// The sounds that are installed with the program.
  case bundled
  /// A theme of the desktop. The value is its name, or nil for sounds without a theme.
  case theme(String?)

  /// The kind of the source, such as `theme`, without the name of the theme.
  package var kind: String {
    switch self {
    case .user: "user"
    case .bundled: "bundled"
    case .theme: "theme"
    }
  }

  /// The name of the theme, or nil for any other source.
  package var theme: String? { if case .theme(let name) = self { name } else { nil } }
}
