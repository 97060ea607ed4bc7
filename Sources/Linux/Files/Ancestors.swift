internal import CLinux
internal import Glibc

/// The directories above a path: a user who may change the names in one of them can put another
/// file there.
package enum Ancestors {
  /// Throws if a user other than the owner or root may do so; a missing directory cannot be
  /// exchanged.
  ///
  /// Symbolic links are followed as the kernel does, and the directories on their way are checked
  /// too.
  package static func check(above path: String, owner: UInt32) throws(DirectoryRefusal) {
    guard path.begins(with: "/") else { throw DirectoryRefusal(path, .relative) }
    var walk = Walk(path.pathNames.dropLast(), owner: owner)
    while try walk.step() {}
  }

  private static let mostLinks = 40

  /// One walk through the tree, from the root on.
  private struct Walk {
    /// The names from the root to the present place, none of them a link.
    private var place: [String] = []
    /// The names that remain, the next one last.
    private var rest: [String]
    private var links = 0
    private let owner: UInt32

    init(_ names: some Sequence<String>, owner: UInt32) {
      rest = names.reversed()
      self.owner = owner
    }

    private var path: String { place.isEmpty ? "/" : place.reduce("") { "\($0)/\($1)" } }

    /// Checks the present place and goes one name further; false at the end.
    mutating func step() throws(DirectoryRefusal) -> Bool {
      if let exposure = try exposure(of: path) { throw DirectoryRefusal(path, .exposed(exposure)) }
      guard let name = rest.popLast() else { return false }
      if name == "." { return true }
      if name == ".." {
        _ = place.popLast()
        return true
      }
      place.append(name)
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
      if target.begins(with: "/") { place = [] } else { _ = place.popLast() }
      rest += target.pathNames.reversed()
    }

    private func isTrusted(_ user: UInt32) -> Bool {
      user == owner || user == 0 || UserNamespace.isOutside(user)
    }

    private func exposure(of path: String) throws(DirectoryRefusal) -> Exposure? {
      guard let status = try Self.status(of: path) else { return nil }
      guard isTrusted(status.owner) else { return .owner(status.owner) }
      // In a sticky directory, a file of another user can be neither renamed nor removed.
      let isSticky = status.mode & 0o1000 != 0
      guard !isSticky, status.isWritableByOthers else { return nil }
      if status.mode & 0o002 != 0 { return .everyone(status.mode) }
      do throws(SystemError) {
        return try exposure(toGroup: status, path)
      } catch {
        throw DirectoryRefusal(path, .system(error))
      }
    }

    /// Returns the exposure by the group bits; with an access control list these bits are its mask.
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

    /// Reads the status of a path; nil where nothing is there.
    private static func status(of path: String) throws(DirectoryRefusal) -> FileStatus? {
      do throws(SystemError) {
        return try FileStatus(of: path, following: false)
      } catch {
        if error.errno == .noSuchFile { return nil }
        throw DirectoryRefusal(path, .system(error))
      }
    }

    private static func target(of path: String) throws(DirectoryRefusal) -> String {
      do throws(SystemError) {
        return try SymbolicLink.target(of: path)
      } catch {
        throw DirectoryRefusal(path, .system(error))
      }
    }
  }
}

/// The POSIX access control list of a file, as the kernel hands it out (`system.posix_acl_access`).
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

  /// Reads the list of a file; nil where the file has only its mode.
  init?(of path: String) throws(SystemError) {
    var bytes = [UInt8](repeating: 0, count: Self.largest)
    let count: Int
    do throws(SystemError) {
      try refuseNUL("getxattr", path)
      count = try checked("getxattr", path) {
        unsafe getxattr(path, Self.name, &bytes, bytes.count)
      }
    } catch {
      // The errors for a file without a list, and on a filesystem without lists.
      if [ENODATA, ENOTSUP].contains(error.errno.rawValue) { return nil }
      throw error
    }
    guard let list = AccessList(bytes: bytes.prefix(count)) else {
      throw SystemError("getxattr", path, errno: .invalid)
    }
    self = list
  }

  /// Reads what the kernel writes: a version of 4 bytes, and then entries of 8 in little-endian
  /// order.
  init?(bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count >= 4, bytes.prefix(4) == [2, 0, 0, 0], bytes.count % 8 == 4 else {
      return nil
    }
    entries = stride(from: 4, to: bytes.count, by: 8).map { Entry(bytes[$0..<($0 + 8)]) }
  }

  private var isWritingMasked: Bool { entries.contains { $0.tag == Tag.mask && !$0.mayWrite } }

  /// The users by name who may write, beside the owner.
  var writingUsers: [UInt32] { writing(Tag.user).map(\.identifier) }

  /// The groups by name whose members may write.
  var writingGroups: [UInt32] { writing(Tag.group).map(\.identifier) }

  /// True where the members of the owning group may write.
  var mayOwningGroupWrite: Bool { !writing(Tag.owningGroup).isEmpty }

  private func writing(_ tag: UInt16) -> [Entry] {
    isWritingMasked ? [] : entries.filter { $0.tag == tag && $0.mayWrite }
  }
}
