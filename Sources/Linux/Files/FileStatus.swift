internal import Glibc

/// The kernel's facts about a file.
package struct FileStatus: Hashable, Sendable {
  /// The kinds of thing that a name can stand for.
  package enum Kind: Sendable {
    case regular, directory, symbolicLink, fifo, socket, characterDevice, blockDevice, unknown
  }

  /// The kind of the file that the name stands for.
  package let kind: Kind
  /// The permission bits, set-id and sticky bits included.
  package let mode: UInt32
  /// The user who owns it.
  package let owner: UInt32
  /// The group whose permission bits count.
  package let group: UInt32
  /// The number of names (hard links); 0 once the last was removed or replaced.
  package let links: Int
  /// The size in bytes.
  package let size: Int64
  /// The time of the last change of its bytes, since 1970.
  package let modified: Duration
  /// The time of its last change of any kind, since 1970; nobody can set it.
  package let changed: Duration
  /// With `inode`, the identity of the file on this machine.
  package let device: UInt64
  /// The file's number on its filesystem, which is used again once the file is gone.
  package let inode: UInt64

  /// Identifies this state of this file among all others, also among those of the same name.
  package var identity: String {
    let (seconds, attoseconds) = modified.components
    return "\(device).\(inode).\(size).\(seconds).\(attoseconds / 1_000_000_000)"
  }

  /// True where both are of one file of this machine, by whatever names.
  package func isSameFile(as other: FileStatus) -> Bool {
    inode == other.inode && device == other.device
  }

  /// True where the group or everybody may write it.
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

  /// Reads the status of the file at a path, or of the symbolic link itself unless `following`.
  package init(of path: String, following: Bool = true) throws(SystemError) {
    try self.init(of: path, in: AT_FDCWD, following: following, subject: path)
  }

  init(
    of name: String, in directory: CInt, following: Bool, subject: String
  ) throws(SystemError) {
    try refuseNUL("fstatat", name)
    var answer = stat()
    let flags = following ? 0 : AT_SYMLINK_NOFOLLOW
    try checked("fstatat", subject) { unsafe fstatat(directory, name, &answer, flags) }
    self.init(answer)
  }
}

extension Descriptor {
  /// Reads the status of the open file.
  package func status() throws(SystemError) -> FileStatus {
    var answer = stat()
    try checked("fstat") { unsafe fstat(number, &answer) }
    return FileStatus(answer)
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

/// The sizes of many files, asked for at once.
package enum FileSizes {
  /// From so many files on a second thread helps.
  private static let many = 4_000

  /// Returns the size of each file, with symbolic links followed; -1 for one that is not there.
  ///
  /// - Parameter work: done meanwhile, so of very many files the second thread takes more than half.
  package static func of<Work>(_ paths: [String], while work: () -> Work) -> ([Int64], Work) {
    guard paths.count >= many else { return (sizes(paths[...]), work()) }
    let third = paths.count / 3
    let (first, rest) = Thread.both(
      { (sizes(paths[..<third]), work()) }, { sizes(paths[third...]) })
    return (first.0 + rest, first.1)
  }

  private static func sizes(_ paths: ArraySlice<String>) -> [Int64] {
    var lookup = SizeLookup()
    var sizes: [Int64] = []
    sizes.reserveCapacity(paths.count)
    for path in paths { sizes.append(lookup.size(of: path)) }
    return sizes
  }
}

/// Asks for sizes within an open directory, where several files in a row lie in the same: the kernel
/// then looks up one name and not a whole path.
private struct SizeLookup: ~Copyable {
  private var directory: Descriptor?
  private var former: [UInt8] = []

  mutating func size(of path: String) -> Int64 {
    let count = path.utf8.count
    return unsafe path.withCString { text in
      // The kernel reads up to the first zero.
      guard unsafe strlen(text) == count, let slash = unsafe strrchr(text, 0x2F) else { return -1 }
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

  private static func size(_ directory: CInt, _ path: UnsafePointer<CChar>) -> Int64 {
    var answer = stat()
    return unsafe fstatat(directory, path, &answer, 0) == 0 ? Int64(answer.st_size) : -1
  }
}
