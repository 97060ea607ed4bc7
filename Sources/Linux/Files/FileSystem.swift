internal import CLinux
internal import Glibc

/// The filesystem of a path, and the rights of this process there.
package enum FileSystem {
  /// Returns the number of bytes that an unprivileged user can still write on the filesystem of a
  /// path. The corresponding C function is `fstatvfs`.
  package static func freeBytes(at path: String) throws(SystemError) -> Int64 {
    let file = try Descriptor(opening: path, .pathOnly)
    var answer = statvfs()
    try checked("fstatvfs", path) { unsafe fstatvfs(file.number, &answer) }
    return answer.freeBytes
  }

  /// Returns the number of free bytes on the filesystem of the nearest existing directory above a
  /// path. The file at the path need not exist. Returns nil if the system does not report it.
  package static func freeBytes(above path: String) -> Int64? {
    for directory in path.directoriesAbove {
      if let free = try? freeBytes(at: directory) { return free }
    }
    return nil
  }

  /// Returns true if all changes below the path go through this kernel, so that `Watch` sees them.
  /// Returns false if a server or another program stores the files, or if the system does not
  /// report the kind of filesystem. The corresponding C function is `statfs`.
  package static func isLocal(_ path: String) -> Bool {
    var answer = statfs()
    guard unsafe statfs(path, &answer) == 0 else { return false }
    return localKinds.contains(UInt32(truncatingIfNeeded: answer.f_type))
  }

  /// The filesystems that only one kernel writes to.
  private static let localKinds = [
    UInt32(EXT4_SUPER_MAGIC), UInt32(XFS_SUPER_MAGIC), UInt32(BTRFS_SUPER_MAGIC),
    UInt32(F2FS_SUPER_MAGIC), UInt32(TMPFS_MAGIC), UInt32(RAMFS_MAGIC), UInt32(JFFS2_SUPER_MAGIC),
    UInt32(MSDOS_SUPER_MAGIC), UInt32(SQUASHFS_MAGIC), UInt32(EROFS_SUPER_MAGIC_V1),
  ]

  /// Returns true if this process may read and write the file at the path. The corresponding C
  /// function is `faccessat`.
  package static func mayReadAndWrite(_ path: String) -> Bool {
    unsafe faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0
  }

  /// Returns true if the path leads to a regular file that this process may execute. A directory
  /// does not count, although its search permission is the same bit. The corresponding C function
  /// is `faccessat`.
  package static func mayExecute(_ path: String) -> Bool {
    guard (try? FileStatus(of: path))?.kind == .regular else { return false }
    return unsafe faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0
  }
}

/// The mount that contains a file. A file can be renamed only within one mount.
package struct Mount: Hashable, Sendable {
  private let device: UInt64
  /// The number of the mount, or nil if /proc does not report it. One filesystem may be mounted at
  /// several paths.
  private let number: String?

  /// Finds the mount of a path. Symbolic links are followed.
  package init(of path: String) throws(SystemError) {
    let file = try Descriptor(opening: path, .pathOnly)
    device = try file.status().device
    let facts = try? Descriptor(opening: "/proc/self/fdinfo/\(file.number)").readAll(upTo: 4_096)
    let key = "mnt_id:\t"
    number = facts.flatMap { facts in
      String(decoding: facts, as: UTF8.self).split(separator: "\n")
        .first { $0.begins(with: key) }.map { String($0.dropFirst(key.count)) }
    }
  }

  /// The maximum size of the list of mounts in bytes. A longer list causes an error.
  private static let largestList = 4 << 20

  /// Returns whether the mount is in this mount namespace. If it is not, the path that the kernel
  /// reports for a file of the mount may lead to another file.
  func isHere() throws(SystemError) -> Bool {
    guard let number else { return false }
    let mounts = try Descriptor(opening: "/proc/self/mountinfo").readAll(upTo: Self.largestList)
    return mounts.split(separator: UInt8(ascii: "\n"))
      .contains { $0.starts(with: (number + " ").utf8) }
  }

  /// Goes up from a path, and returns the highest directory that is still on this mount. The path
  /// must not contain symbolic links.
  package func top(above path: String) -> String {
    var top = path
    for directory in path.directoriesAbove {
      guard (try? Mount(of: directory)) == self else { break }
      top = directory
    }
    return top
  }
}

extension statvfs {
  /// The number of bytes that an unprivileged user can still write. A filesystem in user space may
  /// report any number.
  var freeBytes: Int64 {
    let (bytes, overflow) = Int64(clamping: f_bavail)
      .multipliedReportingOverflow(by: Int64(clamping: f_frsize))
    return overflow ? .max : bytes
  }
}

/// The permission bits that the kernel removes from the files of this process. The corresponding C
/// function is `umask`.
package enum CreationMask {
  /// Removes the owner's bits from the mask, so that the owner keeps all permissions. The bits for
  /// other users are unchanged.
  ///
  /// The mask can be read only by setting it for a moment. So call this function before other
  /// threads start.
  package static func spareOwner() {
    let mask = umask(0o077)
    umask(mask & 0o077)
  }
}
