import Glibc
import Support
import Testing

@testable import Linux

@Suite("Trusted directories")
struct DirectoryTests {
  @Test("A variable counts only if no other user can have set it or owns the directory")
  func rules() throws {
    let scratch = try ScratchDirectory()
    let home = scratch.path("home")
    try Directory.makeAll(scratch.path("ours"))
    try Directory.makeAll(home)
    try scratch.write("", to: "file")
    let usual = home + "/.local/state/recorder"
    for (variable, elevated, expected) in [
      (nil, false, usual), (scratch.path("ours"), false, scratch.path("ours/recorder")),
      (scratch.path("ours"), true, usual), ("relative", false, usual),
      (scratch.path("new"), false, scratch.path("new/recorder")),
      (scratch.path("file"), false, usual),
    ] as [(String?, Bool, String)] {
      var facts = Self.facts(home: home)
      facts.variables["XDG_STATE_HOME"] = variable
      facts.isElevated = elevated
      #expect(try BaseDirectories(facts).state == expected)
    }
  }

  @Test("Another user's directory counts as unset")
  func foreign() throws {
    let scratch = try ScratchDirectory()
    var facts = Self.facts(home: scratch.path)
    facts.user = geteuid() + 1
    #expect(throws: DirectoryRefusal(scratch.path, .owner(geteuid()))) {
      try BaseDirectories(facts)
    }
  }

  @Test("Sockets are in the runtime directory, given or found, else in the state directory")
  func runtime() throws {
    let scratch = try ScratchDirectory()
    var facts = Self.facts(home: scratch.path)
    facts.runtimeRoot = scratch.path("run")
    let state = scratch.path(".local/state/recorder")
    #expect(try BaseDirectories(facts).runtime == state)
    facts.variables["XDG_RUNTIME_DIR"] = scratch.path("gone")
    #expect(try BaseDirectories(facts).runtime == state)
    try Directory.makeAll(scratch.path("run/\(geteuid())"))
    #expect(try BaseDirectories(facts).runtime == scratch.path("run/\(geteuid())/recorder"))
    try Directory.makeAll(scratch.path("told"))
    facts.variables["XDG_RUNTIME_DIR"] = scratch.path("told")
    #expect(try BaseDirectories(facts).runtime == scratch.path("told/recorder"))
  }

  @Test("An unset HOME is read from the user database, and an invalid one is refused")
  func home() throws {
    let scratch = try ScratchDirectory()
    var facts = Self.facts(home: scratch.path)
    facts.variables["HOME"] = nil
    #expect(try BaseDirectories(facts).home == scratch.path)
    let file = try scratch.write("", to: "file")
    for (home, reason) in [
      ("relative", DirectoryRefusal.Reason.relative), ("//", .root), (file, .notDirectory),
    ] {
      facts.variables["HOME"] = home
      #expect(throws: DirectoryRefusal(home, reason)) { try BaseDirectories(facts) }
    }
    facts.isElevated = true
    #expect(try BaseDirectories(facts).home == scratch.path)
  }

  @Test("A user without a home needs a state directory of their own", arguments: ["/", "gone"])
  func homeless(home: String) throws {
    let scratch = try ScratchDirectory()
    var facts = Self.facts(home: home == "/" ? home : scratch.path(home))
    #expect(throws: DirectoryRefusal.self) { try BaseDirectories(facts) }
    facts.variables["XDG_STATE_HOME"] = scratch.path("ours")
    let base = try BaseDirectories(facts)
    #expect(base.state == scratch.path("ours/recorder"))
    #expect(base.data == (home == "/" ? "" : scratch.path(home)) + "/.local/share/recorder")
    facts.isElevated = true
    facts.accountHome = scratch.path("gone")
    #expect(throws: DirectoryRefusal(scratch.path("gone"), .missingHome)) {
      try BaseDirectories(facts)
    }
  }

  @Test(
    "A user without HOME and without an account needs a state directory of their own",
    arguments: [nil, ""])
  func unknownHome(account: String?) throws {
    let scratch = try ScratchDirectory()
    var facts = Self.facts(home: scratch.path)
    facts.variables["HOME"] = nil
    facts.accountHome = account
    #expect(throws: DirectoryRefusal("/", .root)) { try BaseDirectories(facts) }
    facts.variables["XDG_STATE_HOME"] = scratch.path("ours")
    #expect(try BaseDirectories(facts).state == scratch.path("ours/recorder"))
  }

  @Test("A private directory is created with 0700, and refused rather than repaired")
  func privacy() throws {
    let scratch = try ScratchDirectory()
    let made = try PrivateDirectory.make(at: scratch.path("a/b"))
    #expect(try made.descriptor.status().mode == 0o700)
    #expect(symlink(scratch.path("a"), scratch.path("link")) == 0)
    try scratch.write("", to: "file")
    chmod(scratch.path("a/b"), 0o770)
    for (name, reason) in [
      ("link", DirectoryRefusal.Reason.symbolicLink), ("a/b", .writableByOthers(0o770)),
      ("file", .notDirectory),
    ] {
      #expect(throws: DirectoryRefusal(scratch.path(name), reason)) {
        _ = try PrivateDirectory.open(scratch.path(name))
      }
    }
    #expect(throws: DirectoryRefusal(scratch.path("a"), .owner(geteuid()))) {
      _ = try PrivateDirectory.open(scratch.path("a"), owner: geteuid() + 1)
    }
    #expect(try FileStatus(of: scratch.path("a/b")).mode == 0o770)
  }

  @Test("A file is opened only in the requested way")
  func opening() throws {
    let scratch = try ScratchDirectory()
    let directory = try Directory(scratch.path)
    try directory.open("file", [.writeOnly, .create, .exclusive]).writeAll("abc".utf8.span)
    #expect(symlink("file", scratch.path("link")) == 0)
    for (name, flags, reason) in [
      ("file", OpenFlags([.create, .exclusive, .writeOnly]), Errno.exists),
      ("link", .noFollow, .tooManyLinks), ("none", .readOnly, .noSuchFile),
      ("file\0", .readOnly, .invalid), ("file", .directory, .notDirectory),
    ] {
      let error = #expect(throws: SystemError.self) { _ = try directory.open(name, flags) }
      #expect(error?.errno == reason)
    }
    let file = try directory.open("file")
    #expect(throws: SystemError("renameat", "b\0", errno: .invalid)) {
      try directory.rename("file", to: "b\0")
    }
    #expect(fcntl(file.number, F_GETFD) & FD_CLOEXEC != 0)
    #expect(try file.readAll(upTo: 3) == Array("abc".utf8))
    #expect(throws: SystemError("read", errno: .tooLarge)) {
      try directory.open("file").readAll(upTo: 2)
    }
    #expect(try directory.names().sorted() == ["file", "link"])
    #expect(try directory.status(of: "link").kind == .symbolicLink)
  }

  @Test("The running program and its user are known")
  func identity() throws {
    #expect(try FileStatus(of: ExecutablePath.current()).kind == .regular)
    let account = try UserAccount(geteuid())
    #expect(try account == UserAccount(named: account?.name ?? ""))
    #expect(account?.groups().contains(account?.group ?? .max) == true)
    #expect(try UserAccount(4_000_000_000) == nil)
  }

  private static func facts(home: String) -> BaseDirectories.Facts {
    BaseDirectories.Facts(
      variables: ["HOME": home], isElevated: false, user: geteuid(), accountHome: home)
  }
}
