import Audio
import Files
import Glibc
import Linux
import Testing

@testable import Commands

@Suite("The confinement of the decoder")
struct ConfinementTests {
  @Test("It cannot open, connect, start or signal anything, nor execute its own memory")
  func calls() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let (null, program, place) = ("/dev/null", "/bin/true", "/tmp/decoder-was-here")
      let parent = getppid()
      try DecoderConfinement.enter()
      var refused = 0
      var tried = 0
      func attempt(_ result: Int) {
        tried += 1
        if result == -1 { refused += 1 }
      }
      attempt(Int(open(null, O_RDONLY)))
      attempt(Int(open(place, O_WRONLY | O_CREAT, 0o600)))
      attempt(Int(unlink(place)))
      attempt(Int(mkdir(place, 0o700)))
      for family in [AF_UNIX, AF_INET, AF_NETLINK] {
        attempt(Int(socket(family, Int32(SOCK_STREAM.rawValue), 0)))
      }
      attempt(Int(dup(0)))
      attempt(Int(execv(program, [nil])))
      attempt(Int(kill(parent, 0)))
      attempt(Int(kill(getpid(), 0)))
      let code = mmap(nil, 4_096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      attempt(code == MAP_FAILED ? -1 : 0)
      _exit(refused == tried && tried == 12 ? 7 : Int32(100 + refused))
    }
  }

  @Test("A reader of parts cannot do any of this either")
  func parts() async {
    await #expect(processExitsWith: .exitCode(7)) {
      // Like the child that reads parts, which loads no library.
      try DecoderConfinement.enter(for: 3)
      let calls = [
        Int(open("/dev/null", O_RDONLY)), Int(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)),
        Int(execv("/bin/true", [nil])), Int(kill(getppid(), 0)), Int(dup(0)),
        Int(ftruncate(0, 0)), Int(unlink("/tmp/reader-was-here")),
      ]
      _exit(calls.allSatisfy { $0 == -1 } ? 7 : 8)
    }
  }

  @Test("It can still change the rate, which loads a library at the first use")
  func rates() async {
    await #expect(processExitsWith: .exitCode(7)) {
      try DecoderConfinement.enterToDecode()
      let resampler = try? Resampler(from: .hz44100, to: .hz48000, channels: .stereo)
      _exit(resampler == nil ? 8 : 7)
    }
  }

  @Test("It cannot allocate more memory than its limit")
  func memory() async {
    await #expect(processExitsWith: .exitCode(7)) {
      try DecoderConfinement.enter()
      // `mmap`, because an optimizer removes an allocation that is never used.
      let memory = mmap(
        nil, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      _exit(memory == MAP_FAILED ? 7 : 8)
    }
  }
}
