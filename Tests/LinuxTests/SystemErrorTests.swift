import Support
import Testing

@testable import Linux

@Suite("The message of a failed system call")
struct SystemErrorTests {
  @Test("A directory cannot be created, and a file cannot be renamed")
  func calls() throws {
    let made = #expect(throws: SystemError.self) { try Directory.makeAll("/proc/none") }
    #expect(made?.description == "cannot create \"/proc/none\": No such file or directory")
    let scratch = try ScratchDirectory()
    let directory = try Directory(scratch.path)
    let linked = #expect(throws: SystemError.self) {
      try directory.link("none", thenRemoveFor: "new", in: directory)
    }
    let path = scratch.path("new")
    #expect(linked?.description == "cannot rename \"\(path)\": No such file or directory")
  }

  @Test(
    "It says what cannot be done, for every function with a subject",
    arguments: [
      ("openat2", "open"), ("fdopendir", "read"), ("readlink", "read"), ("getxattr", "read"),
      ("mkdir", "create"), ("memfd_create", "create"), ("linkat", "rename"), ("flock", "lock"),
      ("socket", "open the socket"), ("fchmod", "open the socket"), ("posix_spawn", "start"),
      ("execve", "start"), ("pidfd_open", "find the process"), ("kill", "signal the process"),
      ("waitpid", "wait for the process"), ("getgrgid_r", "find the group"),
      ("fstatat", "use"), ("fstatvfs", "use"), ("chdir", "use"),
    ])
  func action(function: String, words: String) {
    let error = SystemError(function, "x", errno: .accessDenied)
    #expect(error.description == "cannot \(words) \"x\": Permission denied")
  }

  @Test("Without a subject, it says what cannot be done, or only the reason")
  func purpose() {
    for function in ["ppoll", "eventfd", "timerfd_create", "timerfd_settime"] {
      let error = SystemError(function, errno: .tooManyFiles)
      #expect(error.description == "cannot wait for events: Too many open files")
    }
    #expect(SystemError("read", errno: .inputOutput).description == "Input/output error")
  }
}
