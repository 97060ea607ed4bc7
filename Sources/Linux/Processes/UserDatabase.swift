internal import Glibc
internal import Synchronization

/// An entry of the user database.
package struct UserAccount: Hashable, Sendable {
  /// The user's primary group.
  package let group: UInt32
  /// The login name.
  package let name: String
  /// The home directory in the database.
  package let home: String

  /// Looks up a user, or returns nil if there is no such user. The C function is `getpwuid_r`.
  package init?(_ identifier: UInt32) throws(SystemError) {
    try unsafe self.init("getpwuid_r", on: "\(identifier)") {
      unsafe getpwuid_r(identifier, $0, $1, $2, $3)
    }
  }

  /// Looks up a user by name, or returns nil if there is no such user. The C function is
  /// `getpwnam_r`.
  package init?(named name: String) throws(SystemError) {
    try unsafe self.init("getpwnam_r", on: name) { unsafe getpwnam_r(name, $0, $1, $2, $3) }
  }

  fileprivate static var blank: passwd { unsafe passwd() }

  fileprivate init(entry: passwd) {
    group = unsafe entry.pw_gid
    name = unsafe String(cString: entry.pw_name)
    home = unsafe String(cString: entry.pw_dir)
  }

  /// Returns the numbers of all groups that the user belongs to. The C function is `getgrouplist`.
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

  /// A user and the user's primary group.
  struct Membership: Hashable {
    let user: UInt32
    let group: UInt32
  }

  /// Returns all users that can be listed, or nil if there are more than `most` or the list cannot
  /// be read.
  ///
  /// This function asks every source of users. This may load libraries and contact servers, so do
  /// not call the function at every start of the program. The C function is `getpwent_r`.
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

  /// The lock for `getpwent_r`, because all threads share its position in the list.
  private static let listing = Mutex(())
}

/// An entry of the group database.
package struct UserGroup: Hashable, Sendable {
  /// The group's number.
  package let identifier: UInt32
  /// The group's name in the database.
  package let name: String
  /// The names of the additional members. Users with this primary group are not included.
  package let members: [String]

  /// Looks up a group, or returns nil if there is no such group. The C function is `getgrgid_r`.
  package init?(_ identifier: UInt32) throws(SystemError) {
    try unsafe self.init("getgrgid_r", on: "\(identifier)") {
      unsafe getgrgid_r(identifier, $0, $1, $2, $3)
    }
  }

  /// Looks up a group by name, or returns nil if there is no such group. The C function is
  /// `getgrnam_r`.
  package init?(named name: String) throws(SystemError) {
    try unsafe self.init("getgrnam_r", on: name) { unsafe getgrnam_r(name, $0, $1, $2, $3) }
  }

  /// Returns the numbers of the groups whose rights apply to this process. The C functions are
  /// `getegid` and `getgroups`.
  package static func ofProcess() throws(SystemError) -> [UInt32] {
    let count = try checked("getgroups") { getgroups(0, nil) }
    var groups = [gid_t](repeating: 0, count: Int(count))
    let found = try checked("getgroups") { unsafe getgroups(count, &groups) }
    return [getegid()] + groups.prefix(Int(found))
  }

  /// Returns true if a group is the user's primary group and has no other member.
  ///
  /// The function compares the primary groups of all users that can be listed. If `user` is not
  /// among these users, the source of this user cannot be listed, and other users of this source
  /// may have the same primary group. So the group does not count as private.
  static func isPrivate(
    _ identifier: UInt32, to user: UInt32,
    among users: @autoclosure () -> [UserAccount.Membership]? = UserAccount.listed()
  ) -> Bool {
    guard let account = (try? UserAccount(user)) ?? nil, account.group == identifier,
      let group = (try? UserGroup(identifier)) ?? nil,
      group.members.allSatisfy({ $0.isSameName(as: account.name) }), let users = users()
    else { return false }
    return users.contains { $0.user == user }
      && users.allSatisfy { $0.group != identifier || $0.user == user }
  }

  fileprivate static var blank: group { unsafe group() }

  fileprivate init(entry: group) {
    identifier = unsafe entry.gr_gid
    name = unsafe String(cString: entry.gr_name)
    var members: [String] = []
    var pointer = unsafe entry.gr_mem
    while let next = unsafe pointer, let member = unsafe next.pointee {
      members.append(unsafe String(cString: member))
      unsafe pointer = next + 1
    }
    self.members = members
  }
}

/// A C function that searches a database. Its arguments are the structure, a buffer for the
/// strings, the size of the buffer, and room for a pointer to the structure.
private typealias DatabaseSearch<Structure> = (
  UnsafeMutablePointer<Structure>, UnsafeMutablePointer<CChar>, Int,
  UnsafeMutablePointer<UnsafeMutablePointer<Structure>?>
) -> CInt

/// An entry of a database.
private protocol DatabaseEntry {
  associatedtype Structure
  static var blank: Structure { get }
  init(entry: Structure)
}

extension UserAccount: @unsafe DatabaseEntry {}
extension UserGroup: @unsafe DatabaseEntry {}

extension DatabaseEntry {
  /// Searches with larger and larger buffers until the strings fit. Returns nil if there is no such
  /// entry.
  fileprivate init?(
    _ function: String, on subject: String, _ search: DatabaseSearch<Structure>
  ) throws(SystemError) {
    var (entry, room) = (Self.blank, 1_024)
    while true {
      var found: UnsafeMutablePointer<Structure>?
      let strings = UnsafeMutablePointer<CChar>.allocate(capacity: room)
      defer { unsafe strings.deallocate() }
      let code = unsafe search(&entry, strings, room, &found)
      if code == ERANGE, room < 1 << 20 {
        room *= 4
        continue
      }
      try requireZero(function, on: subject, code)
      guard unsafe found != nil else { return nil }
      self.init(entry: entry)
      return
    }
  }
}

/// The user namespace of this process. Outside this namespace, a user may have another number.
enum UserNamespace {
  /// Returns true for the number that stands for users without a number in this namespace, such as
  /// root outside a sandbox.
  ///
  /// In the first namespace, every user has a number, so the function returns false.
  static func isOutside(_ user: UInt32) -> Bool {
    number(in: "/proc/sys/kernel/overflowuid", or: 65_534) == user && !isFirst
  }

  private static var isFirst: Bool {
    fields(of: "/proc/self/uid_map") == ["0", "0", "4294967295"]
  }

  private static func number(in path: String, or usual: UInt32) -> UInt32 {
    fields(of: path).first.flatMap { UInt32($0) } ?? usual
  }

  private static func fields(of path: String) -> [String] {
    guard let bytes = try? Descriptor(opening: path).readAll(upTo: 4_096) else { return [] }
    return bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
