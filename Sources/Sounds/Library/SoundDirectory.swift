package import Linux

/// A directory of sounds, each a file with its name and one of several endings; the first that
/// exists counts.
struct SoundDirectory: Hashable, Sendable {
  /// The directory beneath which files are opened; no link leads out of it.
  let root: String
  /// The folder in it that holds the sounds, empty for itself.
  private let folder: String
  let source: SoundSource
  private let endings: [String]

  /// The ending of an empty file that disables the sound.
  static let disabled = "disabled"
  /// The endings of themes, in the order of the Sound Theme Specification.
  static let themeEndings = [disabled, "oga", "ogg", "wav"]
  /// The endings of the user's own sounds.
  static let userEndings =
    themeEndings + [
      "flac", "opus", "mp3", "aiff", "aif", "aifc", "au", "caf", "w64", "rf64", "wave",
    ]

  init(_ root: String, folder: String = "", _ source: SoundSource, endings: [String]) {
    self.root = root
    self.folder = folder
    self.source = source
    self.endings = endings
  }

  /// Opens the sound of exactly this name; nil where there is none.
  func look(for name: String) throws(SoundLibraryError) -> SoundLookup? {
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

  /// True if a file disables the sound.
  func disables(_ name: String) -> Bool {
    guard let found = try? look(for: name) else { return false }
    if case .disabled = found { return true }
    return false
  }

  /// Opens a file; nil where there is none.
  func open(
    _ file: String, name: String, in directory: borrowing Directory
  ) throws(SoundLibraryError) -> SoundFile? {
    let path = directory.path(of: file)
    do {
      // Opened without waiting: a pipe may have no writer.
      let descriptor = try directory.open(beneath: file, .nonBlocking)
      let status = try descriptor.status()
      if status.kind == .regular {
        return SoundFile(
          descriptor: descriptor, path: path, status: status, name: name, source: source)
      }
    } catch let error where error.errno == .noSuchFile || error.errno == .notDirectory {
      return nil
    } catch {
      throw .unusable(path: path, error)
    }
    throw .notRegular(path: path)
  }

  /// The names of the sounds in it, disabled ones too.
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

/// The open file of a sound that was requested by name.
package struct SoundFile: ~Copyable, Sendable {
  /// The open file.
  package let descriptor: Descriptor
  /// The path by which it was opened, for messages and as a key.
  package let path: String
  /// The status of the open file, which is a regular file.
  package let status: FileStatus
  /// The name under which it was found, which may be shorter than the requested one.
  package let name: String
  /// The place where it was found.
  package let source: SoundSource
}

/// The file of a name, or the fact that the sound is disabled.
package enum SoundLookup: ~Copyable, Sendable {
  case file(SoundFile)
  /// The sound is disabled; playing it succeeds without sound.
  case disabled(name: String, source: SoundSource)

  /// The name under which it was found, and its source.
  package var origin: (name: String, source: SoundSource) {
    switch self {
    case .file(let file): (file.name, file.source)
    case .disabled(let name, let source): (name, source)
    }
  }
}

/// The reason why there is nothing to play under a name.
package enum SoundLibraryError: Error, Hashable, Sendable {
  /// The text is not a valid name.
  case invalid(SoundNameError)
  /// No sound has the name; the nearest names.
  case unknown(String, nearest: [String])
  /// The file cannot be opened, for the system's reason.
  case unusable(path: String, SystemError)
  /// The path is a directory, a pipe or a device.
  case notRegular(path: String)
}

extension SoundLibraryError: CustomStringConvertible {
  /// `no sound "x"`.
  package var description: String {
    switch self {
    case .invalid(let error): "\(error)"
    case .unknown(let name, let nearest):
      nearest.isEmpty
        ? "no sound \"\(name)\""
        : "no sound \"\(name)\"; is it \(nearest.map { "\"\($0)\"" }.joined(separator: " or "))?"
    case .unusable(let path, let error): "\"\(path)\" cannot be used (\(error))"
    case .notRegular(let path): "\"\(path)\" is no file"
    }
  }
}

/// The origin of a sound.
package enum SoundSource: Hashable, Sendable {
  /// The user's own directory.
  case user
  /// Installed with the program.
  case bundled
  /// A theme of the desktop, by its name; nil for sounds outside of any theme.
  case theme(String?)

  /// The kind without a name, such as `theme`.
  package var kind: String {
    switch self {
    case .user: "user"
    case .bundled: "bundled"
    case .theme: "theme"
    }
  }

  /// The name of the theme; nil for any other source.
  package var theme: String? { if case .theme(let name) = self { name } else { nil } }
}

extension SoundSource: CustomStringConvertible {
  /// `theme freedesktop`.
  package var description: String {
    switch self {
    case .user: "user"
    case .bundled: "bundled"
    case .theme(let name): name.map { "theme \($0)" } ?? "no theme"
    }
  }
}
