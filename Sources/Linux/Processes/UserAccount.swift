internal import Glibc

/// An entry of the user database.
package struct UserAccount: Hashable, Sendable {
  /// The user's number.
  package let identifier: UInt32
  /// The first of the user's groups.
  package let group: UInt32
  /// The name to log in by.
  package let name: String
  /// The home directory, as the database has it.
  package let home: String

  /// Looks a user up, or returns nil where there is no such user. The C function is `getpwuid_r`.
  package init?(_ identifier: UInt32) throws(SystemError) {
    var size = 1024
    while true {
      do {
        guard let account = try Self.find(identifier, room: size) else { return nil }
        self = account
        return
      } catch let error where error.errno == .outOfRange && size < 1 << 20 {
        size *= 4
      }
    }
  }

  private init(entry: passwd) {
    identifier = unsafe entry.pw_uid
    group = unsafe entry.pw_gid
    name = unsafe String(cString: entry.pw_name)
    home = unsafe String(cString: entry.pw_dir)
  }

  private static func find(
    _ identifier: UInt32, room: Int
  ) throws(SystemError) -> UserAccount? {
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    let strings = UnsafeMutablePointer<CChar>.allocate(capacity: room)
    defer { unsafe strings.deallocate() }
    let code = unsafe getpwuid_r(identifier, &entry, strings, room, &found)
    try requireZero("getpwuid_r", on: "\(identifier)", code)
    return unsafe found == nil ? nil : UserAccount(entry: entry)
  }

  /// Every group that the user belongs to, by number. The C function is `getgrouplist`.
  package func groups() -> [UInt32] {
    var room = CInt(32)
    while true {
      var count = room
      var groups = [gid_t](repeating: 0, count: Int(room))
      if unsafe getgrouplist(name, group, &groups, &count) >= 0 {
        return Array(groups.prefix(Int(count)))
      }
      room = max(count, room * 2)
    }
  }

  /// The users whom this machine itself knows, with the first group of each.
  static var local: [(user: UInt32, group: UInt32)] {
    guard let bytes = try? Descriptor(opening: "/etc/passwd").readAll(upTo: 1 << 24) else {
      return []
    }
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard fields.count > 3, let user = UInt32(String(decoding: fields[2], as: UTF8.self)),
        let group = UInt32(String(decoding: fields[3], as: UTF8.self))
      else { return nil }
      return (user, group)
    }
  }
}
