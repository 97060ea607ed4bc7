internal import Glibc
internal import Synchronization

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

  /// A user with the first group.
  struct Membership: Hashable {
    let user: UInt32
    let group: UInt32
  }

  /// All users that can be listed; nil for more than `most`, and where the list cannot be read.
  ///
  /// It asks every source of users, which may load libraries and ask servers: not for a usual start.
  /// The C function is `getpwent_r`.
  static func listed(upTo most: Int = 65_536) -> [Membership]? {
    listing.withLock { _ in
      setpwent()
      defer { endpwent() }
      var users: [Membership] = []
      var room = 1_024
      while users.count <= most {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        let strings = UnsafeMutablePointer<CChar>.allocate(capacity: room)
        defer { unsafe strings.deallocate() }
        let code = unsafe getpwent_r(&entry, strings, room, &found)
        switch code {
        case 0: users.append(Membership(user: unsafe entry.pw_uid, group: unsafe entry.pw_gid))
        case ENOENT: return users
        case ERANGE where room < 1 << 20: room *= 4
        default: return nil
        }
      }
      return nil
    }
  }

  /// The list has one place for the whole process.
  private static let listing = Mutex(())
}
