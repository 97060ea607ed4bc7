internal import CLinux
internal import Glibc

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
