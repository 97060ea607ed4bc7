package import Control
package import Linux

/// The directory of a user's own sounds: adds, finds and removes them.
package struct UserSounds: Hashable, Sendable {
  /// The reason why a sound was not added or removed.
  package enum Failure: Error, Hashable, Sendable {
    /// Another file has the name; its path.
    case taken(path: String)
    /// No sound of the user's own has exactly this name.
    case unknown
    case system(SystemError)
  }

  /// The path of the directory, which may not exist yet.
  package let path: String

  /// The longest wait for another program's copy.
  private static let patience = Duration.seconds(10)

  /// The endings of a sound's file.
  package static let endings = SoundDirectory.userEndings.filter { $0 != SoundDirectory.disabled }

  /// The sounds in that directory.
  package init(_ path: String) { self.path = path }

  /// The directory for a program with this environment.
  package init(for environment: PlayerEnvironment) {
    self.init((environment["XDG_DATA_HOME"] ?? "") + "/recorder/sounds")
  }

  /// Copies an open file into the directory and returns the path; an existing file is never
  /// replaced.
  ///
  /// - Parameter ending: one of `endings`.
  package func add(
    _ file: borrowing Descriptor, as name: SoundName, ending: String
  ) throws(Failure) -> String {
    let whole = "\(name.text).\(ending)"
    let taken: String?
    do throws(SystemError) {
      try Directory.makeAll(path)
      let directory = try Directory(path)
      let lock = try FileLock(on: directory, waitingUpTo: Self.patience)
      defer { withExtendedLifetime(lock) {} }
      try AtomicFile.removeUnfinishedCopies(in: directory)
      taken = files(of: name, in: directory).first
      if taken == nil { try AtomicFile.copy(file, to: whole, in: directory) }
    } catch {
      throw .system(error)
    }
    if let taken { throw .taken(path: "\(path)/\(taken)") }
    return "\(path)/\(whole)"
  }

  /// Removes every file of exactly this name and returns the paths; targets of links stay.
  ///
  /// - Parameter discard: moves the file at a path to the trash; one that it leaves is deleted.
  package func remove(
    _ name: SoundName, by discard: (String) -> Void = { _ in }
  ) throws(Failure) -> [String] {
    do throws(SystemError) {
      let directory = try Directory(path)
      let files = files(of: name, in: directory)
      if files.isEmpty { throw SystemError("unlinkat", path, errno: .noSuchFile) }
      let paths = files.map { "\(path)/\($0)" }
      for path in paths { discard(path) }
      for file in self.files(of: name, in: directory) { try directory.remove(file) }
      try directory.synchronize()
      return paths
    } catch {
      if error.errno == .noSuchFile { throw .unknown }
      throw .system(error)
    }
  }

  /// Also what is no sound, or disables one.
  private func files(of name: SoundName, in directory: borrowing Directory) -> [String] {
    var files: [String] = []
    for ending in SoundDirectory.userEndings {
      let file = "\(name.text).\(ending)"
      if (try? directory.status(of: file)) != nil { files.append(file) }
    }
    return files
  }
}
