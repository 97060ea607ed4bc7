import Foundation
import Glibc
import Support
import Testing

@testable import Linux

@Suite("The program of a process", .timeLimit(.minutes(2)))
struct ProgramIdentityTests {
  @Test("is its executable, without symbolic links, and its user is known")
  func path() throws {
    let scratch = try ScratchDirectory()
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("pause"), withDestinationPath: "/usr/bin/sleep")
    let child = try Spawn(scratch.path("pause"), ["60"]).start()
    defer { end(child) }
    let program = RunningProgram(child.identifier)
    let real = try #require(realpath("/usr/bin/sleep", nil))
    defer { free(real) }
    #expect(program.identity.identifier == "path:" + String(cString: real))
    #expect(program.user == geteuid() && program.script == nil)
  }

  @Test("is its former executable after a replacement, and a file whose name ends like that remark")
  func deleted() throws {
    let scratch = try ScratchDirectory()
    for name in ["sound", "sound (deleted)"] {
      try FileManager.default.copyItem(atPath: "/usr/bin/sleep", toPath: scratch.path(name))
    }
    let root = try Directory(resolving: scratch.path).path
    let first = try Spawn(scratch.path("sound"), ["60"]).start()
    defer { end(first) }
    let second = try Spawn(scratch.path("sound (deleted)"), ["60"]).start()
    defer { end(second) }
    try FileManager.default.removeItem(atPath: scratch.path("sound"))
    #expect(RunningProgram(second.identifier).identity == .path(Path(root + "/sound (deleted)")))
    // Now the remark of the kernel is the name of another file.
    #expect(RunningProgram(first.identifier).identity == .path(Path(root + "/sound")))
  }

  @Test("is displayed with the script of an interpreter")
  func script() throws {
    let scratch = try ScratchDirectory()
    try Data("sleep 60 & wait\n".utf8).write(to: URL(filePath: scratch.path("listen.sh")))
    var spawn = Spawn("/bin/sh", ["-e", "listen.sh"])
    spawn.directory = scratch.path
    let child = try spawn.start()
    defer { end(child) }
    // The process executes the shell a moment after it began.
    try eventually { RunningProgram(child.identifier).script != nil }
    let program = RunningProgram(child.identifier)
    let root = try Directory(resolving: scratch.path).path
    #expect(program.script == root + "/listen.sh")
    #expect(program.identity.identifier?.hasPrefix("path:/") == true)
  }

  @Test("has no script if an interpreter executes the code of an argument")
  func code() throws {
    let scratch = try ScratchDirectory()
    try Data().write(to: URL(filePath: scratch.path("zoom")))
    for option in ["-c", "-ec"] {
      let arguments = [option, "sleep 60 & wait", scratch.path("zoom")]
      let child = try Spawn("/bin/sh", arguments).start()
      defer { end(child) }
      // Until then, the arguments are those of this process.
      try eventually {
        try Descriptor(opening: "/proc/\(child.identifier)/cmdline").readAll(upTo: 4_096)
          .starts(with: Array("/bin/sh".utf8))
      }
      #expect(RunningProgram(child.identifier).script == nil, "\(option)")
    }
  }

  @Test("is unknown after its end, without a number, and for a process that hides itself")
  func unknown() throws {
    let child = try Spawn("/bin/true").start()
    let other = try OtherProcess(child.identifier)
    let hasEnded = try child.hasEnded(within: .seconds(10))
    #expect(hasEnded)
    #expect(RunningProgram(of: other).identity == .unknown(.ended))
    #expect(RunningProgram(0).identity == .unknown(.noProcess))
    #expect(RunningProgram(Int32.max).identity.identifier == nil)
    if geteuid() != 0 { #expect(RunningProgram(1).identity == .unknown(.noAccess)) }
  }

  @Test(
    "is not the file of the same name in another container", .requiresNamespaces)
  func otherFiles() throws {
    let scratch = try ScratchDirectory()
    try FileManager.default.copyItem(atPath: "/usr/bin/sleep", toPath: scratch.path("evil"))
    let child = try Spawn(
      "/usr/bin/unshare",
      [
        "--user", "--map-root-user", "--mount", "sh", "-c",
        "mount --bind '\(scratch.path("evil"))' /usr/bin/true && exec /usr/bin/true 60",
      ]
    ).start()
    defer { end(child) }
    #expect(identity(of: child, until: { $0 == .unknown(.noFile) }) == .unknown(.noFile))
  }

  @Test("is not a removed file of another container", .requiresNamespaces)
  func removedOtherFile() throws {
    let scratch = try ScratchDirectory()
    try FileManager.default.copyItem(atPath: "/usr/bin/sleep", toPath: scratch.path("evil"))
    let container = try Spawn(
      "/usr/bin/unshare",
      [
        "--user", "--map-root-user", "--mount", "sh", "-c",
        "mount --bind '\(scratch.path)' /mnt && exec sleep 60",
      ]
    ).start()
    defer { end(container) }
    // In this mount namespace, but from a directory of the other one.
    let program = "/proc/\(container.identifier)/root/mnt/evil"
    try eventually { (try? FileStatus(of: program)) != nil }
    let child = try Spawn(program, ["60"]).start()
    defer { end(child) }
    let link = "/proc/\(child.identifier)/exe"
    try eventually { try SymbolicLink.target(of: link) == "/mnt/evil" }
    try FileManager.default.removeItem(atPath: scratch.path("evil"))
    #expect(try SymbolicLink.target(of: link) == "/mnt/evil (deleted)")
    #expect(RunningProgram(child.identifier).identity == .unknown(.noFile))
  }

  @Test(
    "is the application of Flatpak in its root", .requires(tool: "cc"), .requiresNamespaces,
    arguments: [
      ("[Application]\nname=org.example.Talk\n", ProgramIdentity.flatpak("org.example.Talk")),
      ("[Context]\nname=no\n[Runtime]\nname = org.example.Run\n", .flatpak("org.example.Run")),
      ("[Application]\nname=../../x y\n", .unknown(.invalid)), ("", .unknown(.invalid)),
      (String(repeating: "#", count: 70_000), .unknown(.invalid)),
    ])
  func flatpak(info: String, wanted: ProgramIdentity) throws {
    let scratch = try ScratchDirectory()
    try Data(info.utf8).write(to: URL(filePath: scratch.path(".flatpak-info")))
    #expect(try sandboxed(in: scratch, wanted) == wanted)
  }

  @Test(
    "is unknown if the file of Flatpak is a link", .requires(tool: "cc"), .requiresNamespaces)
  func link() throws {
    let scratch = try ScratchDirectory()
    try Data("[Application]\nname=org.example.Talk\n".utf8)
      .write(to: URL(filePath: scratch.path("info")))
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path(".flatpak-info"), withDestinationPath: "info")
    #expect(try sandboxed(in: scratch, .unknown(.invalid)) == .unknown(.invalid))
  }

  @Test(
    "is the snap of an AppArmor label",
    arguments: [
      ("snap.firefox.firefox (enforce)\n", ProgramIdentity.snap("firefox")),
      ("snap.obs-studio.hook.configure (complain)\n", .snap("obs-studio")),
      ("snap.\n", .unknown(.invalid)), ("snap.a/b.c (enforce)", .unknown(.invalid)),
      ("unconfined\n", nil), ("system_u:snap.x.y", nil),
    ] as [(String, ProgramIdentity?)])
  func snap(label: String, wanted: ProgramIdentity?) {
    #expect(ProgramIdentity.snap(label: label) == wanted)
  }

  /// Runs a program whose root is the directory, and returns its identity.
  private func sandboxed(
    in scratch: borrowing ScratchDirectory, _ wanted: ProgramIdentity
  ) throws -> ProgramIdentity {
    let program = scratch.path("hold")
    let made = try Tool.run(
      "sh",
      [
        "-c",
        """
        echo 'int pause(void); int main(void) { for (;;) pause(); }' |
          cc -x c -static -o '\(program)' -
        """,
      ])
    try #require(made.code == 0, "\(made)")
    let child = try Spawn(
      "/usr/bin/unshare", ["--user", "--map-root-user", "chroot", scratch.path, "/hold"]
    ).start()
    defer { end(child) }
    return identity(of: child, until: { $0 == wanted })
  }

  /// Reads the identity until it is the expected one: the child executes several programs.
  private func identity(
    of child: borrowing ChildProcess, until isExpected: (ProgramIdentity) -> Bool
  ) -> ProgramIdentity {
    let process = child.identifier
    var identity = RunningProgram(process).identity
    _ = comesTrue {
      identity = RunningProgram(process).identity
      return isExpected(identity)
    }
    return identity
  }

  private func end(_ child: borrowing ChildProcess) {
    try? child.send(.kill)
    // Its owner reaps a child that has ended.
    _ = try? child.hasEnded(within: .seconds(10))
  }
}
