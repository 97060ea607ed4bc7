internal import CLinux
internal import Glibc

/// The directories above a path. A user who may change the names in one of them can put another
/// file at the path.
package enum Ancestors {
  /// Throws if a user other than `owner` or root can replace the file at the path. Users outside
  /// this user namespace are trusted like root. The check ends at a missing directory, which cannot
  /// be replaced.
  ///
  /// The check follows symbolic links, and includes the directories above their targets.
  package static func check(above path: String, owner: UInt32) throws(DirectoryRefusal) {
    guard path.begins(with: "/") else { throw DirectoryRefusal(path, .relative) }
    var walk = Walk(path.pathNames.dropLast(), owner: owner)
    while try walk.step() {}
  }

  private static let mostLinks = 40

  /// One walk down the tree, beginning at the root.
  private struct Walk {
    /// The names from the root to the current directory, with all symbolic links resolved.
    private var walked: [String] = []
    /// The remaining names in reverse order.
    private var rest: [String]
    private var links = 0
    private let owner: UInt32

    init(_ names: some Sequence<String>, owner: UInt32) {
      rest = names.reversed()
      self.owner = owner
    }

    private var path: String { walked.isEmpty ? "/" : walked.reduce("") { "\($0)/\($1)" } }

    /// Checks the current directory and descends by one name. Returns false at the end.
    mutating func step() throws(DirectoryRefusal) -> Bool {
      if let exposure = try exposure(of: path) { throw DirectoryRefusal(path, .exposed(exposure)) }
      guard let name = rest.popLast() else { return false }
      if name == "." { return true }
      if name == ".." {
        _ = walked.popLast()
        return true
      }
      walked.append(name)
      guard let status = try Self.status(of: path) else { return false }
      guard status.kind == .symbolicLink else { return status.kind == .directory }
      try follow(status)
      return true
    }

    private mutating func follow(_ link: FileStatus) throws(DirectoryRefusal) {
      links += 1
      guard links <= mostLinks else {
        throw DirectoryRefusal(path, .system(SystemError("readlink", path, errno: .tooManyLinks)))
      }
      guard isTrusted(link.owner) else {
        throw DirectoryRefusal(path, .exposed(.owner(link.owner)))
      }
      let target = try Self.target(of: path)
      if target.begins(with: "/") { walked = [] } else { _ = walked.popLast() }
      rest += target.pathNames.reversed()
    }

    private func isTrusted(_ user: UInt32) -> Bool {
      user == owner || user == 0 || UserNamespace.isOutside(user)
    }

    private func exposure(of path: String) throws(DirectoryRefusal) -> Exposure? {
      guard let status = try Self.status(of: path) else { return nil }
      guard isTrusted(status.owner) else { return .owner(status.owner) }
      // In a sticky directory, a user can neither rename nor remove the files of other users.
      let isSticky = status.mode & 0o1000 != 0
      guard !isSticky, status.isWritableByOthers else { return nil }
      if status.mode & 0o002 != 0 { return .everyone(status.mode) }
      return try DirectoryRefusal.of(path, exposure(toGroup: status, path))
    }

    /// Returns the exposure of a directory whose group bits allow writing, or nil if it is not
    /// exposed. If the directory has an access control list, these bits are the mask of the list.
    private func exposure(
      toGroup status: FileStatus, _ path: String
    ) throws(SystemError) -> Exposure? {
      let list = try AccessList(of: path)
      if list?.mayOwningGroupWrite ?? true, !UserGroup.isPrivate(status.group, to: owner) {
        return .group(status.group, mode: status.mode)
      }
      let isOpen =
        list?.writingUsers.contains { !isTrusted($0) } ?? false
        || list?.writingGroups.contains { !UserGroup.isPrivate($0, to: owner) } ?? false
      return isOpen ? .accessList : nil
    }

    /// Reads the status of a path. Returns nil if the path does not exist.
    private static func status(of path: String) throws(DirectoryRefusal) -> FileStatus? {
      try DirectoryRefusal.of(path, ifPresent(FileStatus(of: path, following: false)))
    }

    private static func target(of path: String) throws(DirectoryRefusal) -> String {
      try DirectoryRefusal.of(path, SymbolicLink.target(of: path))
    }
  }
}

/// The POSIX access control list of a file, in the kernel's format (`system.posix_acl_access`).
struct AccessList {
  private struct Entry {
    let tag: UInt16
    let mayWrite: Bool
    let identifier: UInt32

    init(_ bytes: ArraySlice<UInt8>) {
      let start = bytes.startIndex
      tag = UInt16(bytes[start + 1]) << 8 | UInt16(bytes[start])
      mayWrite = bytes[start + 2] & 2 != 0
      var number: UInt32 = 0
      for byte in bytes.suffix(4).reversed() { number = number << 8 | UInt32(byte) }
      identifier = number
    }
  }

  /// The values of `<linux/posix_acl.h>`.
  private enum Tag {
    static let (user, owningGroup, group, mask) = (UInt16(2), UInt16(4), UInt16(8), UInt16(16))
  }

  private static let name = "system.posix_acl_access"
  private static let largest = 65_536
  private let entries: [Entry]

  /// Reads the list of a file. Returns nil if the file has no list.
  init?(of path: String) throws(SystemError) {
    var bytes = [UInt8](repeating: 0, count: Self.largest)
    let count: Int
    do throws(SystemError) {
      try refuseNUL("getxattr", path)
      count = try checked("getxattr", path) {
        unsafe getxattr(path, Self.name, &bytes, bytes.count)
      }
    } catch let error where [ENODATA, ENOTSUP].contains(error.errno.rawValue) {
      // The errors for a file without a list, and for a filesystem that does not support lists.
      return nil
    }
    guard let list = AccessList(bytes: bytes.prefix(count)) else {
      throw SystemError("getxattr", path, errno: .invalid)
    }
    self = list
  }

  /// Parses the kernel's format: a version of 4 bytes, then entries of 8 bytes in little-endian
  /// order. Returns nil for anything else.
  init?(bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count >= 4, bytes.prefix(4) == [2, 0, 0, 0], bytes.count % 8 == 4 else {
      return nil
    }
    entries = stride(from: 4, to: bytes.count, by: 8).map { Entry(bytes[$0..<($0 + 8)]) }
  }

  private var isWritingMasked: Bool { entries.contains { $0.tag == Tag.mask && !$0.mayWrite } }

  /// The users in the list who have write access. The owner of the file is not included.
  var writingUsers: [UInt32] { writing(Tag.user).map(\.identifier) }

  /// The groups in the list that have write access. The owning group is not included.
  var writingGroups: [UInt32] { writing(Tag.group).map(\.identifier) }

  /// True if the owning group has write access.
  var mayOwningGroupWrite: Bool { !writing(Tag.owningGroup).isEmpty }

  private func writing(_ tag: UInt16) -> [Entry] {
    isWritingMasked ? [] : entries.filter { $0.tag == tag && $0.mayWrite }
  }
}
