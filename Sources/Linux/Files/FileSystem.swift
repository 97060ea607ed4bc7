internal import CLinux
internal import Glibc

/// The filesystem that a path lies on, and this process's rights there.
package enum FileSystem {
  /// Returns the bytes that this user may still write there. The corresponding C function is
  /// `fstatvfs`.
  package static func freeBytes(at path: String) throws(SystemError) -> Int64 {
    let place = try Descriptor(opening: path, .pathOnly)
    var answer = statvfs()
    try checked("fstatvfs", path) { unsafe fstatvfs(place.number, &answer) }
    return answer.freeBytes
  }

  /// Returns the same for a file that is to be made, by the nearest directory above it that exists;
  /// nil where the system does not report it.
  package static func freeBytes(above path: String) -> Int64? {
    for directory in path.directoriesAbove {
      if let free = try? freeBytes(at: directory) { return free }
    }
    return nil
  }

  /// Returns true where every change below comes through this kernel, so that `Watch` sees it; false
  /// for what a server or another program keeps, and where the system does not say. The
  /// corresponding C function is `statfs`.
  package static func isLocal(_ path: String) -> Bool {
    var answer = statfs()
    guard unsafe statfs(path, &answer) == 0 else { return false }
    return localKinds.contains(UInt32(truncatingIfNeeded: answer.f_type))
  }

  /// The filesystems that one kernel alone writes.
  private static let localKinds = [
    UInt32(EXT4_SUPER_MAGIC), UInt32(XFS_SUPER_MAGIC), UInt32(BTRFS_SUPER_MAGIC),
    UInt32(F2FS_SUPER_MAGIC), UInt32(TMPFS_MAGIC), UInt32(RAMFS_MAGIC), UInt32(JFFS2_SUPER_MAGIC),
    UInt32(MSDOS_SUPER_MAGIC), UInt32(SQUASHFS_MAGIC), UInt32(EROFS_SUPER_MAGIC_V1),
  ]

  /// Returns true where this process may read and write the file at the path. The corresponding C
  /// function is `faccessat`.
  package static func mayReadAndWrite(_ path: String) -> Bool {
    unsafe faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0
  }

  /// Returns true where this process may run the file at the path. The corresponding C function is
  /// `faccessat`.
  package static func mayExecute(_ path: String) -> Bool {
    unsafe faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0
  }
}

/// The mounted filesystem that a path lies on; within one a file can be renamed.
package struct Mount: Hashable, Sendable {
  private let device: UInt64
  /// The number of the mount, because one filesystem may be mounted at several places; nil where
  /// /proc does not tell it.
  private let number: String?

  /// The mount of a path; symbolic links are followed.
  package init(of path: String) throws(SystemError) {
    let place = try Descriptor(opening: path, .pathOnly)
    device = try place.status().device
    let facts = try? Descriptor(opening: "/proc/self/fdinfo/\(place.number)").readAll(upTo: 4_096)
    number = facts.flatMap { facts in
      String(decoding: facts, as: UTF8.self).split(separator: "\n")
        .first { $0.begins(with: "mnt_id:") }.map(String.init)
    }
  }

  /// The highest directory at or above a path, free of symbolic links, that lies on this mount.
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
  /// The bytes that an unprivileged user may still write; a user's own filesystem may claim any
  /// number.
  var freeBytes: Int64 {
    let (bytes, overflow) = Int64(clamping: f_bavail)
      .multipliedReportingOverflow(by: Int64(clamping: f_frsize))
    return overflow ? .max : bytes
  }
}

/// The rights that the kernel takes from what a process makes. The corresponding C function is
/// `umask`.
package enum CreationMask {
  /// Leaves the owner every right; the rights of others are taken as before.
  ///
  /// A mask can be read only by setting it, so no other thread may run yet.
  package static func spareOwner() {
    let mask = umask(0o077)
    umask(mask & 0o077)
  }
}
