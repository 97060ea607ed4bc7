internal import CLinux
internal import Glibc

/// The status of a file, as the kernel reports it.
package struct FileStatus: Hashable, Sendable {
  /// The kinds of files.
  package enum Kind: Sendable {
    case regular, directory, symbolicLink, fifo, socket, characterDevice, blockDevice, unknown
  }

  /// The kind of the file.
  package let kind: Kind
  /// The permission bits, including the set-id and sticky bits.
  package let mode: UInt32
  /// The user who owns the file.
  package let owner: UInt32
  /// The group that the group permission bits apply to.
  package let group: UInt32
  /// The number of names (hard links); 0 after the last name was removed or replaced.
  package let links: Int
  /// The size in bytes.
  package let size: Int64
  /// The time of the last change of the content, since 1970.
  package let modified: Duration
  /// The time of the last change of any kind, since 1970. Programs cannot set this time.
  package let changed: Duration
  /// The device number. With `inode` it identifies the file on this machine.
  package let device: UInt64
  /// The number of the file on its filesystem. The filesystem can reuse the number after the file
  /// was removed.
  package let inode: UInt64

  /// An identifier of this version of the file. Other files, and other versions under the same
  /// name, have other identifiers.
  package var identity: String {
    let (seconds, attoseconds) = modified.components
    return "\(device).\(inode).\(size).\(seconds).\(attoseconds / 1_000_000_000)"
  }

  /// Returns true if both values describe the same file of this machine, even under different
  /// names.
  package func isSameFile(as other: FileStatus) -> Bool {
    (inode, device) == (other.inode, other.device)
  }

  /// True if the group or all users have write permission.
  package var isWritableByOthers: Bool { mode & 0o022 != 0 }

  init(_ answer: stat) {
    kind = Kind(format: answer.st_mode & S_IFMT)
    mode = answer.st_mode & 0o7777
    owner = answer.st_uid
    group = answer.st_gid
    links = Int(answer.st_nlink)
    size = Int64(answer.st_size)
    modified = Duration(answer.st_mtim)
    changed = Duration(answer.st_ctim)
    device = UInt64(answer.st_dev)
    inode = UInt64(answer.st_ino)
  }

  /// Reads the status of the file at a path. If `following` is false, reads the status of a
  /// symbolic link itself.
  package init(of path: String, following: Bool = true) throws(SystemError) {
    try self.init(of: path, in: AT_FDCWD, following: following, subject: path)
  }

  init(of name: String, in directory: CInt, following: Bool, subject: String) throws(SystemError) {
    try refuseNUL("fstatat", name)
    var answer = stat()
    let flags = following ? 0 : AT_SYMLINK_NOFOLLOW
    try checked("fstatat", subject) { unsafe fstatat(directory, name, &answer, flags) }
    self.init(answer)
  }
}

extension FileStatus {
  /// Returns the time since 1970 at which the file at a path was created, or nil if the file does
  /// not exist or its filesystem does not store the time. A symbolic link is not followed. The
  /// corresponding call is `statx`.
  package static func birth(of path: String) -> Duration? {
    let time = unsafe birth_time(path)
    return time < 0 ? nil : .nanoseconds(time)
  }
}

extension Descriptor {
  /// Reads the status of the open file.
  package func status() throws(SystemError) -> FileStatus {
    var answer = stat()
    try checked("fstat") { unsafe fstat(number, &answer) }
    return FileStatus(answer)
  }

  /// The position of the next write in a regular file. Nil if this is another kind of file, or if
  /// every write goes to the end of the file.
  package var overwritablePosition: Int64? {
    guard (try? status())?.kind == .regular, fcntl(number, F_GETFL) & O_APPEND == 0 else {
      return nil
    }
    let position = lseek(number, 0, SEEK_CUR)
    return position < 0 ? nil : Int64(position)
  }
}

extension FileStatus.Kind {
  fileprivate init(format: mode_t) {
    self =
      switch format {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      case S_IFIFO: .fifo
      case S_IFSOCK: .socket
      case S_IFCHR: .characterDevice
      case S_IFBLK: .blockDevice
      default: .unknown
      }
  }
}

/// The sizes, inodes and times of many files, read in one call.
package enum FileSizes {
  /// The minimum number of files for which a second thread saves time.
  private static let many = 4_000

  /// The size, the inode and the time of a file.
  package struct Entry: Hashable, Sendable {
    /// The size in bytes, or -1 if the file does not exist or cannot be reached.
    package let size: Int64
    /// The inode, or 0 if the file does not exist or cannot be reached.
    package let inode: UInt64
    /// The time of the last change of the content since 1970, or 0 if the file does not exist or
    /// cannot be reached. The unit is a nanosecond.
    package let modified: Int64

    fileprivate static let missing = Entry(size: -1, inode: 0, modified: 0)
  }

  /// Returns the entry of each file, and the result of `work`. Symbolic links are followed. A path
  /// without a slash counts as missing.
  ///
  /// - Parameter work: other work for this thread. If there are many files, a second thread reads
  ///   two thirds of the sizes meanwhile.
  package static func of<Work>(_ paths: [String], while work: () -> Work) -> ([Entry], Work) {
    guard paths.count >= many else { return (sizes(paths[...]), work()) }
    let third = paths.count / 3
    let (first, rest) = Thread.both(
      { (sizes(paths[..<third]), work()) }, { sizes(paths[third...]) })
    return (first.0 + rest, first.1)
  }

  private static func sizes(_ paths: ArraySlice<String>) -> [Entry] {
    var lookup = SizeLookup()
    var sizes: [Entry] = []
    sizes.reserveCapacity(paths.count)
    for path in paths { sizes.append(lookup.size(of: path)) }
    return sizes
  }
}

/// Reads sizes relative to an open directory if consecutive files are in the same directory. The
/// kernel then looks up one name instead of a whole path.
private struct SizeLookup: ~Copyable {
  private var directory: Descriptor?
  private var former: [UInt8] = []

  mutating func size(of path: String) -> FileSizes.Entry {
    let count = path.utf8.count
    return unsafe path.withCString { text in
      // A path with a NUL counts as missing, because the kernel reads only up to the first NUL.
      guard unsafe strlen(text) == count, let slash = unsafe strrchr(text, 0x2F) else {
        return .missing
      }
      let length = unsafe UnsafePointer(slash) - text + 1
      let isSame = unsafe former.count == length && memcmp(former, text, length) == 0
      guard isSame else {
        former = unsafe Array(UnsafeRawBufferPointer(start: text, count: length))
        directory = nil
        return unsafe Self.size(AT_FDCWD, text)
      }
      if directory == nil {
        directory = try? Descriptor(
          opening: String(decoding: former, as: UTF8.self), [.pathOnly, .directory])
      }
      guard let number = directory?.number else { return unsafe Self.size(AT_FDCWD, text) }
      return unsafe Self.size(number, text + length)
    }
  }

  private static func size(
    _ directory: CInt, _ path: UnsafePointer<CChar>
  ) -> FileSizes.Entry {
    var answer = stat()
    guard unsafe fstatat(directory, path, &answer, 0) == 0 else { return .missing }
    return FileSizes.Entry(
      size: Int64(answer.st_size), inode: UInt64(answer.st_ino),
      modified: Duration(answer.st_mtim).wholeNanoseconds)
  }
}
