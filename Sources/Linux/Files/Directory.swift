internal import CLinux
internal import Glibc

/// An open directory: names in it mean the same files even when somebody moves or replaces its path.
package struct Directory: ~Copyable, Sendable {
  /// The directory itself, for calls that take one.
  package let descriptor: Descriptor
  /// The path that it was opened by, for messages.
  package let path: String

  /// Opens a directory that exists.
  ///
  /// - Parameter flags: `noFollow` refuses a symbolic link as the last component.
  package init(_ path: String, _ flags: OpenFlags = []) throws(SystemError) {
    let descriptor = try Descriptor(opening: path, flags.union(.directory))
    self.path = path
    self.descriptor = descriptor
  }

  /// The path of `name` in it, for messages and for programs that need one.
  package func path(of name: String) -> String {
    path.path(of: name)
  }

  /// The path of `name` in the directory's present place: it may have been renamed since it was
  /// opened.
  package func presentPath(of name: String) -> String {
    let opened = try? descriptor.status()
    let named = try? FileStatus(of: path)
    guard let opened, named?.inode != opened.inode || named?.device != opened.device,
      opened.links > 0,
      let place = try? SymbolicLink.target(of: "/proc/self/fd/\(descriptor.number)")
    else { return path.path(of: name) }
    return place.path(of: name)
  }

  /// Opens, or with `create` makes, a file in it.
  package func open(
    _ name: String, _ flags: OpenFlags = .readOnly, mode: UInt32 = 0o600
  ) throws(SystemError) -> Descriptor {
    try refusePath("openat", name)
    return try Descriptor(at: descriptor.number, name, flags, mode: mode, subject: path(of: name))
  }

  /// Reads the status of `name`, never following a symbolic link.
  package func status(of name: String) throws(SystemError) -> FileStatus {
    try refusePath("fstatat", name)
    return try FileStatus(
      of: name, in: descriptor.number, following: false, subject: path(of: name))
  }

  /// Makes a directory in it.
  package func makeDirectory(_ name: String, mode: UInt32 = 0o700) throws(SystemError) {
    try refusePath("mkdirat", name)
    try checked("mkdirat", path(of: name)) { unsafe mkdirat(descriptor.number, name, mode) }
  }

  /// Makes a directory and all that is missing above it; those that exist stay as they are.
  package static func makeAll(_ path: String, mode: UInt32 = 0o700) throws(SystemError) {
    try refuseNUL("mkdir", path)
    if (try? FileStatus(of: path))?.kind == .directory { return }
    var partial = path.begins(with: "/") ? "" : "."
    for name in path.pathNames {
      partial += "/" + name
      let directory = partial
      do {
        try checked("mkdir", directory) { unsafe mkdir(directory, mode) }
      } catch {
        // For a directory that exists, the kernel may answer EROFS or EACCES instead of EEXIST.
        if (try? FileStatus(of: directory))?.kind == .directory { continue }
        throw error
      }
    }
  }

  /// Removes a name that is no directory.
  package func remove(_ name: String) throws(SystemError) {
    try refusePath("unlinkat", name)
    try checked("unlinkat", path(of: name)) { unsafe unlinkat(descriptor.number, name, 0) }
  }

  /// Waits until names made, changed or removed in it are on the disk.
  package func synchronize() throws(SystemError) {
    try checked("fsync", path) { fsync(descriptor.number) }
  }

  /// Every name in it but `.` and `..`, in no order; bytes that are no UTF-8 read as U+FFFD.
  package func names() throws(SystemError) -> [String] {
    let copy = try Descriptor(
      at: descriptor.number, ".", .directory, mode: 0, subject: path)
    let number = copy.release()
    guard let stream = unsafe fdopendir(number) else {
      let reason = Errno.last
      close(number)
      throw SystemError("fdopendir", path, errno: reason)
    }
    defer { unsafe closedir(stream) }
    return try unsafe Self.names(in: stream, path)
  }

  private static func names(
    in stream: OpaquePointer, _ path: String
  ) throws(SystemError) -> [String] {
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else { break }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
      }
      if name != "." && name != ".." { names.append(name) }
    }
    let reason = Errno.last
    if reason.rawValue != 0 { throw SystemError("readdir", path, errno: reason) }
    return names
  }
}
