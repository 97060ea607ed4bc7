import Linux
import Support
import Testing

@Suite("A lock has one holder")
struct FileLockTests {
  @Test("A second holder is refused until the first one releases the lock")
  func exclusive() throws {
    let scratch = try ScratchDirectory()
    let directory = try Directory(scratch.path)
    do {
      let lock = try FileLock.take("lock", in: directory)
      let isTaken = lock != nil
      #expect(isTaken)
      let isRefused = try FileLock.take("lock", in: directory) == nil
      #expect(isRefused)
    }
    let isFree = try FileLock.take("lock", in: directory) != nil
    #expect(isFree)
    #expect(try directory.status(of: "lock").mode == 0o600)
  }

  @Test("Another process sees the lock, and its holder's death frees it", .requires(tool: "flock"))
  func processes() throws {
    let scratch = try ScratchDirectory()
    let directory = try Directory(scratch.path)
    do {
      let lock = try FileLock("lock", in: directory, waitingUpTo: .zero)
      #expect(try Tool.run("flock", ["-n", scratch.path("lock"), "true"]).code == 1)
      #expect(FileLock.holder("lock", in: directory) == Environment.processIdentifier)
      withExtendedLifetime(lock) {}
    }
    let output = try Descriptor.pipe()
    var holder = Spawn(
      "/bin/sh", ["-c", "exec flock \(scratch.path("lock")) sh -c 'echo held; exec sleep 60'"])
    holder.descriptors = [nil, output.writing.number, 2]
    holder.startsSession = true
    let child = try holder.start()
    var bytes = [UInt8](repeating: 0, count: 5)
    #expect(try output.reading.read(into: &bytes) == 5)
    let isRefused = try FileLock.take("lock", in: directory) == nil
    #expect(isRefused)
    #expect(FileLock.holder("lock", in: directory) == child.identifier)
    try Signal.kill.send(to: -child.identifier)
    _ = try child.wait()
    let taken = try FileLock("lock", in: directory, waitingUpTo: .seconds(5))
    #expect(taken.descriptor.number >= 0)
  }

  @Test("Processes that test a lock do not see each other", .requires(tool: "flock"))
  func tests() throws {
    let scratch = try ScratchDirectory()
    let directory = try Directory(scratch.path)
    try scratch.write("", to: "lock")
    let output = try Descriptor.pipe()
    var other = Spawn(
      "/bin/sh", ["-c", "exec flock -s \(scratch.path("lock")) sh -c 'echo held; exec sleep 60'"])
    other.descriptors = [nil, output.writing.number, 2]
    other.startsSession = true
    let child = try other.start()
    var bytes = [UInt8](repeating: 0, count: 5)
    #expect(try output.reading.read(into: &bytes) == 5)
    #expect(try !FileLock.isHeld("lock", in: directory))
    #expect(FileLock.holder("lock", in: directory) == nil)
    try Signal.kill.send(to: -child.identifier)
    _ = try child.wait()
    let lock = try FileLock("lock", in: directory, waitingUpTo: .seconds(5))
    #expect(try FileLock.isHeld("lock", in: directory))
    withExtendedLifetime(lock) {}
  }

  @Test("Waiting ends when the holder releases the lock, or at the limit")
  func waiting() throws {
    let scratch = try ScratchDirectory()
    let directory = try Directory(scratch.path)
    let held = Handoff(try FileLock("lock", in: directory, waitingUpTo: .zero))
    let error = #expect(throws: SystemError.self) {
      _ = try FileLock("lock", in: directory, waitingUpTo: .milliseconds(30))
    }
    #expect(error?.errno == .timedOut)
    let releaser = try Thread("releaser") {
      // A thread that waits for the lock only retries, and this is not visible from outside.
      KernelClock.sleep(.milliseconds(30))
      _ = held.take()
    }
    let lock = try FileLock("lock", in: directory, waitingUpTo: .seconds(10))
    #expect(lock.descriptor.number >= 0)
    releaser.join()
  }

  @Test("A link or a FIFO under the lock's name is refused immediately")
  func impostors() throws {
    let scratch = try ScratchDirectory()
    let directory = try Directory(scratch.path)
    #expect(try Tool.run("mkfifo", [scratch.path("fifo")]).code == 0)
    #expect(try Tool.run("ln", ["-s", scratch.path("target"), scratch.path("link")]).code == 0)
    for name in ["fifo", "link"] {
      #expect(throws: SystemError.self) { _ = try FileLock.take(name, in: directory) }
    }
    #expect(try scratch.names() == ["fifo", "link"])
  }
}
