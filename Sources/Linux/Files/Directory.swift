internal import CLinux
internal import Glibc

/// An open directory. Its names refer to the same files even if another process moves the directory
/// or puts another directory at its path.
package struct Directory: ~Copyable, Sendable {
  /// The descriptor of the directory, for functions that need a descriptor.
  package let descriptor: Descriptor
  /// The path of the directory when it was opened, for messages.
  package let path: String

  /// Opens an existing directory.
  ///
  /// - Parameter flags: `noFollow` refuses a symbolic link as the last component.
  package init(_ path: String, _ flags: OpenFlags = []) throws(SystemError) {
    let descriptor = try Descriptor(opening: path, flags.union(.directory))
    self.path = path
    self.descriptor = descriptor
  }

  /// Opens an existing directory by a path that may contain symbolic links. The property `path` is
  /// the path without symbolic links.
  package init(resolving path: String) throws(SystemError) {
    let descriptor = try Descriptor(opening: path, .directory)
    self.path = try descriptor.currentPath() ?? path
    self.descriptor = descriptor
  }

  /// Returns the path of `name` in the directory, for messages and for programs that need a path.
  package func path(of name: String) -> String {
    path.path(of: name)
  }

  /// Returns the path of `name` below the directory's current path. The directory may have been
  /// renamed since it was opened.
  package func presentPath(of name: String) -> String {
    guard let opened = try? descriptor.status(),
      (try? FileStatus(of: path))?.isSameFile(as: opened) != true,
      let currentPath = try? descriptor.currentPath()
    else { return path.path(of: name) }
    return currentPath.path(of: name)
  }

  /// Whether the directory was renamed to a path that is not UTF-8.
  package var hasForeignPath: Bool {
    do throws(SystemError) {
      _ = try descriptor.currentPath()
      return false
    } catch {
      return error.errno == .illegalSequence
    }
  }

  /// Opens a file in the directory, or creates it with the flag `create`. An error names `subject`,
  /// or the path of the file if `subject` is nil.
  package func open(
    _ name: String, _ flags: OpenFlags = .readOnly, mode: UInt32 = 0o600, subject: String? = nil
  ) throws(SystemError) -> Descriptor {
    try refusePath("openat", name)
    return try Descriptor(
      at: descriptor.number, name, flags, mode: mode, subject: subject ?? path(of: name))
  }

  /// Reads the status of `name`. Does not follow a symbolic link.
  package func status(of name: String) throws(SystemError) -> FileStatus {
    try refusePath("fstatat", name)
    return try FileStatus(
      of: name, in: descriptor.number, following: false, subject: path(of: name))
  }

  /// Creates a directory in this directory.
  package func makeDirectory(_ name: String) throws(SystemError) {
    try refusePath("mkdirat", name)
    try checked("mkdirat", path(of: name)) { unsafe mkdirat(descriptor.number, name, 0o700) }
  }

  /// Creates a directory and all missing directories above it. Existing directories are not
  /// changed.
  package static func makeAll(_ path: String) throws(SystemError) {
    try refuseNUL("mkdir", path)
    if (try? FileStatus(of: path))?.kind == .directory { return }
    var partial = path.begins(with: "/") ? "" : "."
    for name in path.pathNames {
      partial += "/" + name
      let directory = partial
      do {
        try checked("mkdir", directory) { unsafe mkdir(directory, 0o700) }
      } catch {
        // For a directory that exists, the kernel may answer EROFS or EACCES instead of EEXIST.
        if (try? FileStatus(of: directory))?.kind == .directory { continue }
        guard error.errno == .exists else { throw error }
        throw SystemError("mkdir", directory, errno: .notDirectory)
      }
    }
  }

  /// Removes a name. Throws if it is the name of a directory.
  package func remove(_ name: String) throws(SystemError) {
    try refusePath("unlinkat", name)
    try checked("unlinkat", path(of: name)) { unsafe unlinkat(descriptor.number, name, 0) }
  }

  /// Waits until all created, changed and removed names are on the disk.
  package func synchronize() throws(SystemError) {
    try checked("fsync", path) { fsync(descriptor.number) }
  }

  /// Returns the names in the directory except `.` and `..`, but at most `most` names, in no
  /// particular order. Invalid UTF-8 is replaced by U+FFFD.
  package func names(upTo most: Int = .max) throws(SystemError) -> [String] {
    let copy = try Descriptor(at: descriptor.number, ".", .directory, mode: 0, subject: path)
    let number = copy.release()
    guard let stream = unsafe fdopendir(number) else {
      let reason = Errno.last
      close(number)
      throw SystemError("fdopendir", path, errno: reason)
    }
    defer { unsafe closedir(stream) }
    return try unsafe Self.names(in: stream, path, upTo: most)
  }

  private static func names(
    in stream: OpaquePointer, _ path: String, upTo most: Int
  ) throws(SystemError) -> [String] {
    var names: [String] = []
    while names.count < most {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        let reason = Errno.last
        if reason.rawValue != 0 { throw SystemError("readdir", path, errno: reason) }
        break
      }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}

extension Directory {
  /// Renames `old` to `new` in one step. Replaces an existing file with the name `new`.
  package func rename(_ old: String, to new: String) throws(SystemError) {
    for name in [old, new] { try refusePath("renameat", name) }
    let number = descriptor.number
    try checked("renameat", path(of: new)) { unsafe renameat(number, old, number, new) }
  }

  /// Renames `old` to `new`. Throws `exists` if the name is in use, even by a dangling link.
  ///
  /// If the filesystem supports neither RENAME_NOREPLACE nor hard links, it throws the error of
  /// `linkat` and changes nothing.
  package func renameWithoutReplacing(_ old: String, to new: String) throws(SystemError) {
    try move(old, to: new, in: self)
  }

  /// Moves `old` to the name `new` in another directory of the same filesystem. Throws `exists` if
  /// the name is in use, and `crossDevice` if the filesystems differ.
  package func move(
    _ old: String, to new: String, in other: borrowing Directory
  ) throws(SystemError) {
    for name in [old, new] { try refusePath("renameat2", name) }
    let (from, to) = (descriptor.number, other.descriptor.number)
    do {
      try checked("renameat2", other.path(of: new)) {
        unsafe renameat2(from, old, to, new, UInt32(rename_no_replace))
      }
    } catch let error where error.errno == .invalid || error.errno == .notImplemented {
      // Filesystems without RENAME_NOREPLACE (older NFS, FUSE, overlays) answer EINVAL.
      try link(old, thenRemoveFor: new, in: other)
    }
  }

  /// Renames a file in two steps: creates a hard link, and removes the old name. This works on
  /// every filesystem with hard links. A crash between the two steps leaves both names.
  func link(
    _ old: String, thenRemoveFor new: String, in other: borrowing Directory
  ) throws(SystemError) {
    let (from, to) = (descriptor.number, other.descriptor.number)
    try checked("linkat", other.path(of: new)) { unsafe linkat(from, old, to, new, 0) }
    try remove(old)
  }
}

extension Directory {
  /// Opens an existing file below the directory. Neither `..` nor a symbolic link can lead out of
  /// the directory.
  ///
  /// Links that stay below the directory are followed, because themes of sounds and icons use them.
  /// The corresponding call is `openat2`. If the kernel does not have this call, or a sandbox
  /// forbids the call, no link is followed and every `..` is refused.
  package func open(
    beneath path: String, _ flags: OpenFlags = .readOnly
  ) throws(SystemError) -> Descriptor {
    try refuseNUL("openat2", path)
    let bits = flags.union(.always).rawValue
    do {
      let number = try checked("openat2", self.path(of: path)) {
        unsafe open_beneath(descriptor.number, path, bits)
      }
      return Descriptor(owning: number)
    } catch let error where error.errno == .notImplemented || error.errno == .notPermitted {
      return try openFollowingNothing(path, flags)
    }
  }

  func openFollowingNothing(_ path: String, _ flags: OpenFlags) throws(SystemError) -> Descriptor {
    let names = path.pathNames
    guard !path.begins(with: "/"), !names.contains(".."), let last = names.last else {
      throw SystemError("openat", self.path(of: path), errno: .crossDevice)
    }
    var parent = try descriptor.duplicate()
    for name in names.dropLast() {
      parent = try Descriptor(
        at: parent.number, name, [.directory, .noFollow], mode: 0, subject: self.path(of: path))
    }
    return try Descriptor(
      at: parent.number, last, flags.union(.noFollow), mode: 0, subject: self.path(of: path))
  }
}
