internal import Glibc

/// An entry of the group database.
package struct UserGroup: Hashable, Sendable {
  /// The group's number.
  package let identifier: UInt32
  /// The group's name in the database.
  package let name: String
  /// The names of the added members; the users whose first group it is are not among them.
  package let members: [String]

  /// Looks a group up, or returns nil where there is no such group. The C function is `getgrgid_r`.
  package init?(_ identifier: UInt32) throws(SystemError) {
    var room = 1_024
    while true {
      do {
        guard let found = try Self.find(identifier, room: room) else { return nil }
        self = found
        return
      } catch let error where error.errno == .outOfRange && room < 1 << 20 {
        room *= 4
      }
    }
  }

  /// The groups whose rights this process has, by number. The C functions are `getegid` and `getgroups`.
  package static func ofProcess() throws(SystemError) -> [UInt32] {
    let count = try checked("getgroups") { getgroups(0, nil) }
    var groups = [gid_t](repeating: 0, count: Int(count))
    let found = try checked("getgroups") { unsafe getgroups(count, &groups) }
    return [getegid()] + groups.prefix(Int(found))
  }

  /// True for a group that is the first of a user's and has no other member.
  ///
  /// Others whose first group it is are looked for in every source of users that can be listed. A
  /// user who is not listed comes from one that cannot, and others there may have that group: then
  /// it is not private.
  static func isPrivate(
    _ identifier: UInt32, to user: UInt32,
    among users: @autoclosure () -> [UserAccount.Membership]? = UserAccount.listed()
  ) -> Bool {
    guard let account = (try? UserAccount(user)) ?? nil, account.group == identifier,
      let group = (try? UserGroup(identifier)) ?? nil,
      group.members.allSatisfy({ $0 == account.name }), let users = users()
    else { return false }
    return users.contains { $0.user == user }
      && users.allSatisfy { $0.group != identifier || $0.user == user }
  }

  private init(entry: group) {
    identifier = unsafe entry.gr_gid
    name = unsafe String(cString: entry.gr_name)
    var members: [String] = []
    var place = unsafe entry.gr_mem
    while let next = unsafe place, let member = unsafe next.pointee {
      members.append(unsafe String(cString: member))
      unsafe place = next + 1
    }
    self.members = members
  }

  private static func find(
    _ identifier: UInt32, room: Int
  ) throws(SystemError) -> UserGroup? {
    var entry = unsafe group()
    var found: UnsafeMutablePointer<group>?
    let strings = UnsafeMutablePointer<CChar>.allocate(capacity: room)
    defer { unsafe strings.deallocate() }
    let code = unsafe getgrgid_r(identifier, &entry, strings, room, &found)
    try requireZero("getgrgid_r", on: "\(identifier)", code)
    return unsafe found == nil ? nil : UserGroup(entry: entry)
  }
}
