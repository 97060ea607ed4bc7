internal import Glibc

/// An entry of the group database.
package struct UserGroup: Hashable, Sendable {
  package let identifier: UInt32
  package let name: String

  /// Looks a group up, or returns nil where there is no such group. The C function is `getgrgid_r`.
  package init?(_ identifier: UInt32) throws(SystemError) {
    var room = 1_024
    while true {
      do {
        guard let name = try Self.name(of: identifier, room: room) else { return nil }
        self.identifier = identifier
        self.name = name
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

  private static func name(
    of identifier: UInt32, room: Int
  ) throws(SystemError) -> String? {
    var entry = unsafe group()
    var found: UnsafeMutablePointer<group>?
    let strings = UnsafeMutablePointer<CChar>.allocate(capacity: room)
    defer { unsafe strings.deallocate() }
    let code = unsafe getgrgid_r(identifier, &entry, strings, room, &found)
    try requireZero("getgrgid_r", on: "\(identifier)", code)
    guard unsafe found != nil else { return nil }
    return unsafe String(cString: entry.gr_name)
  }
}
