import Testing

@testable import Linux

@Suite("A process that ends with its container or service")
struct ProcessLifeTests {
  private static func facts(
    _ process: Int32, parent: Int32, first: String = "systemd", children: [Int32]? = nil,
    executed: String? = nil
  ) -> ProcessLife.Facts {
    ProcessLife.Facts(
      process: process, parent: parent, first: first, children: children, executed: executed)
  }

  @Test(
    "It does not in a container that ends with it, nor in a service",
    arguments: [
      (facts(1, parent: 0), ProcessLife.first),
      (facts(7, parent: 1, first: "tini", children: [7]), .onlyChild(of: "tini")),
      (facts(7, parent: 1, first: "tini-static"), .onlyChild(of: "tini-static")),
      (facts(2, parent: 1, first: "docker-init", children: [2, 9]), .onlyChild(of: "docker-init")),
      (facts(2, parent: 1, first: "(sd-stubinit)"), .onlyChild(of: "(sd-stubinit)")),
      // An orphan whose container continues to run.
      (facts(9, parent: 1, first: "tini", children: [7, 9]), nil),
      (facts(9, parent: 7, first: "tini", children: [7]), nil),
      (facts(9, parent: 1, first: "sh", children: [9]), nil),
      (facts(9, parent: 1, first: "bash"), nil),
      (facts(9, parent: 1, first: "tinier"), nil),
      (facts(9, parent: 1), nil),
      (facts(9, parent: 8, executed: "9"), .service),
      (facts(9, parent: 8, executed: "8"), nil),
      (facts(9, parent: 8, executed: ""), nil),
    ])
  func lives(facts: ProcessLife.Facts, life: ProcessLife?) {
    #expect(ProcessLife(facts) == life)
  }
}

@Suite("Advice about a directory of another user")
struct DirectoryRemedyTests {
  @Test(
    "It never says to give it away",
    arguments: [
      (
        UInt32(0), "/home/a",
        "use \"sudo -H\", or do not use sudo: HOME is the directory of another user"
      ),
      (7, "/home/a", "set HOME to your own home directory, as \"su -\" does"),
      (
        7, "/home/b/.local",
        "move \"/home/b/.local\" to another directory, or ask its owner to move it"
      ),
    ])
  func remedies(user: UInt32, path: String, words: String) {
    #expect(DirectoryRefusal(path, .owner(5)).remedy(for: user, home: "/home/a") == words)
  }

  @Test(
    "A disk that takes nothing more: the variable that moves the directory is named",
    arguments: [
      ("/run/user/7", "XDG_RUNTIME_DIR"), ("/run/user/7/recorder", "XDG_RUNTIME_DIR"),
      ("/run/user/77", "XDG_STATE_HOME"), ("/home/a/.local/state/recorder", "XDG_STATE_HOME"),
    ])
  func variable(path: String, name: String) {
    let refusal = DirectoryRefusal(
      path, .system(SystemError("mkdir", path, errno: .readOnlyFilesystem)))
    #expect(
      refusal.remedy(runtime: "/run/user/7") == "set \(name) to a directory that can be written")
  }

  @Test("There is no advice here for other flaws")
  func others() { #expect(DirectoryRefusal("/x", .symbolicLink).remedy() == nil) }
}
