import Foundation
import Support
import Testing

@testable import Linux

@Suite("The directories above a path")
struct AncestorTests {
  private let user = Environment.effectiveUser

  private func make(_ path: String, mode: Int) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: nil)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func refusal(above path: String) -> DirectoryRefusal? {
    do throws(DirectoryRefusal) {
      try Ancestors.check(above: path, owner: user)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "are trusted by their mode, even if directories below are missing",
    arguments: [
      (0o700, true), (0o755, true), (0o1777, true), (0o1770, true), (0o777, false), (0o757, false),
    ], ["state/recorder", "missing/below/recorder"])
  func modes(mode: (bits: Int, isTrusted: Bool), below: String) throws {
    let scratch = try ScratchDirectory()
    try make(scratch.path("home/state"), mode: 0o700)
    try make(scratch.path("home"), mode: mode.bits)
    let refusal = refusal(above: scratch.path("home/\(below)"))
    #expect((refusal == nil) == mode.isTrusted)
    guard !mode.isTrusted else { return }
    #expect(refusal?.path == scratch.path("home"))
    #expect(refusal?.reason == .exposed(.everyone(UInt32(mode.bits))))
    #expect(refusal?.description.contains("could replace the files in it") == true)
  }

  @Test("may be written by a group that is the user's own, and by no other", .requiresRoot)
  func groups() throws {
    let scratch = try ScratchDirectory()
    let home = scratch.path("home")
    try make(home, mode: 0o775)
    #expect(chown(home, 0, 1) == 0)
    #expect(refusal(above: home + "/a")?.reason == .exposed(.group(1, mode: 0o775)))
    #expect(chown(home, 0, 0) == 0)
    let isOwn = UserGroup.isPrivate(0, to: 0)
    #expect((refusal(above: home + "/a") == nil) == isOwn)
  }

  @Test("accept a group as the user's own only if every user can be listed")
  func ownGroup() throws {
    let account = try #require(try UserAccount(user))
    let (own, other) = (account.group, user &+ 1)
    let me = UserAccount.Membership(user: user, group: own)
    let isAlone = try UserGroup(own)?.members.allSatisfy { $0 == account.name } ?? false
    let lists: [([UserAccount.Membership]?, Bool)] = [
      ([me], isAlone), ([me, .init(user: other, group: own &+ 1)], isAlone),
      ([me, .init(user: other, group: own)], false),
      // A directory service that does not list its users, and one whose list does not end.
      ([.init(user: other, group: own &+ 1)], false), ([], false), (nil, false),
    ]
    for (users, expected) in lists {
      #expect(UserGroup.isPrivate(own, to: user, among: users) == expected, "\(users ?? [])")
    }
    let listed = try #require(UserAccount.listed())
    #expect(listed.contains(me))
    #expect(UserAccount.listed(upTo: listed.count - 1) == nil)
  }

  @Test("belong to root or to the user", .requiresRoot)
  func owners() throws {
    let scratch = try ScratchDirectory()
    let home = scratch.path("home")
    try make(home, mode: 0o755)
    #expect(chown(home, 12_345, 0) == 0)
    #expect(refusal(above: home + "/a")?.reason == .exposed(.owner(12_345)))
    #expect(throws: Never.self) { try Ancestors.check(above: home + "/a", owner: 12_345) }
  }

  @Test("are checked behind symbolic links, and on the way to them")
  func links() throws {
    let scratch = try ScratchDirectory()
    try make(scratch.path("open"), mode: 0o777)
    try make(scratch.path("real/home"), mode: 0o700)
    symlink("../real", scratch.path("open/through"))
    symlink(scratch.path("open/through"), scratch.path("link"))
    symlink("loop", scratch.path("loop"))
    #expect(refusal(above: scratch.path("real/home/a")) == nil)
    #expect(refusal(above: scratch.path("link/home/a"))?.path == scratch.path("open"))
    guard case .system(let error) = refusal(above: scratch.path("loop/a"))?.reason else {
      Issue.record("a loop was followed")
      return
    }
    #expect(error.errno == .tooManyLinks)
  }

  /// Returns an access control list in the kernel's format.
  private func list(_ entries: [(tag: UInt8, permissions: UInt8, identifier: UInt8)]) -> [UInt8] {
    [2, 0, 0, 0]
      + entries.flatMap { [$0.tag, 0, $0.permissions, 0, $0.identifier, 0, 0, 0] }
  }

  @Test("may be written by the users and groups of an access control list, within its mask")
  func accessLists() throws {
    let rules: [(UInt8, UInt8, UInt8)] = [(1, 7, 0), (2, 7, 42), (4, 5, 0), (8, 2, 43), (32, 5, 0)]
    let open = try #require(AccessList(bytes: list(rules + [(16, 7, 0)])))
    #expect(open.writingUsers == [42] && open.writingGroups == [43])
    #expect(!open.mayOwningGroupWrite)
    let masked = try #require(AccessList(bytes: list(rules + [(16, 5, 0)])))
    #expect(masked.writingUsers == [] && masked.writingGroups == [])
    for broken in [[], [3, 0, 0, 0], [2, 0, 0, 0, 1]] as [[UInt8]] {
      #expect(AccessList(bytes: broken) == nil)
    }
  }

  @Test("with a real access control list are refused", .requires(tool: "setfacl"))
  func realAccessList() throws {
    let scratch = try ScratchDirectory()
    try make(scratch.path("home"), mode: 0o700)
    let made = try Tool.run("setfacl", ["-m", "u:12345:rwx", scratch.path("home")])
    try #require(made.code == 0, "this file system knows no access control lists")
    #expect(refusal(above: scratch.path("home/a"))?.reason == .exposed(.accessList))
  }
}
