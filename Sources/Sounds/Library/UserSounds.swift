package import Control
package import Linux

/// The directory of a user's own sounds, with operations to add and remove them.
package struct UserSounds: Hashable, Sendable {
  /// The reason why a sound could not be added or removed.
  package enum Failure: Error, Hashable, Sendable {
    /// A file with the name exists at this path.
    case taken(path: String)
    /// The user has no sound with exactly this name.
    case unknown
  }

  /// The path of the directory, which may not exist yet.
  package let path: String

  /// The longest wait for another program that copies a sound.
  private static let patience = Duration.seconds(10)

  /// The file extensions of sounds.
  package static let endings = SoundDirectory.userEndings.filter { $0 != SoundDirectory.disabled }

  /// The sounds in the directory at `path`.
  package init(_ path: String) { self.path = path }

  /// The directory for a program with this environment.
  package init(for environment: PlayerEnvironment) {
    self.init((environment["XDG_DATA_HOME"] ?? "") + "/recorder/sounds")
  }

  /// Copies an open file into the directory and returns its path. An existing file is never
  /// replaced.
  ///
  /// - Parameter ending: one of `endings`.
  package func add(
    _ file: borrowing Descriptor, as name: SoundName, ending: String
  ) throws -> String {
    let whole = "\(name.text).\(ending)"
    try Directory.makeAll(path)
    let directory = try Directory(path)
    let lock = try FileLock(on: directory, waitingUpTo: Self.patience)
    defer { withExtendedLifetime(lock) {} }
    try AtomicFile.removeUnfinishedCopies(in: directory)
    if let taken = files(of: name, in: directory).first {
      throw Failure.taken(path: "\(path)/\(taken)")
    }
    try AtomicFile.copy(file, to: whole, in: directory)
    return "\(path)/\(whole)"
  }

  /// Removes all files with exactly this name and returns their paths. `discard` removes the
  /// regular files. Links and other entries are then deleted, but not the targets of the links.
  ///
  /// - Parameter discard: removes the regular files at these paths. If it throws, nothing is
  ///   deleted.
  package func remove(
    _ name: SoundName, by discard: (_ files: [String]) throws -> Void
  ) throws -> [String] {
    let directory = try ifPresent(Directory(path))
    guard let directory else { throw Failure.unknown }
    let files = files(of: name, in: directory)
    if files.isEmpty { throw Failure.unknown }
    let regular = files.filter { (try? directory.status(of: $0))?.kind == .regular }
    if !regular.isEmpty { try discard(regular.map { "\(path)/\($0)" }) }
    for file in files where !regular.contains(file) { try directory.remove(file) }
    try directory.synchronize()
    return files.map { "\(path)/\($0)" }
  }

  /// Returns the files with this name, including files that disable the sound and entries that are
  /// not regular files.
  private func files(of name: SoundName, in directory: borrowing Directory) -> [String] {
    var files: [String] = []
    for ending in SoundDirectory.userEndings {
      let file = "\(name.text).\(ending)"
      if (try? directory.status(of: file)) != nil { files.append(file) }
    }
    return files
  }
}
