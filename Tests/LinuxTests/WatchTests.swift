import Glibc
import Linux
import Support
import Testing

@Suite("Changes in directories are reported")
struct WatchTests {
  @Test("A file that is replaced, removed or made readable by others is reported")
  func names() throws {
    let scratch = try ScratchDirectory()
    let directory = try Directory(scratch.path)
    var watch = try Watch()
    try watch.add(scratch.path)
    try AtomicFile.write("x".utf8.span, to: "state", in: directory)
    #expect(try Self.changes(&watch))
    chmod(scratch.path("state"), 0o644)
    #expect(try Self.changes(&watch))
    try directory.remove("state")
    #expect(try Self.changes(&watch))
    #expect(try !watch.takeChanges())
  }

  @Test("A directory is found when it appears, at any depth, and when it is replaced")
  func ancestors() throws {
    let scratch = try ScratchDirectory()
    let target = scratch.path("a/b/c")
    var watch = try Watch()
    try watch.add(target)
    try Directory.makeAll(target)
    #expect(try Self.changes(&watch))
    try scratch.write("x", to: "a/b/c/file")
    #expect(try Self.changes(&watch))
    #expect(rename(scratch.path("a"), scratch.path("old")) == 0)
    #expect(try Self.changes(&watch))
    try scratch.write("y", to: "old/b/c/file")
    try Directory.makeAll(target)
    try scratch.write("z", to: "a/b/c/other")
    #expect(try Self.changes(&watch))
    try scratch.write("z", to: "a/b/c/third")
    #expect(try Self.changes(&watch))
    for name in ["a/b/c/other", "a/b/c/third"] { unlink(scratch.path(name)) }
    #expect(try Self.changes(&watch))
    rmdir(target)
    #expect(try Self.changes(&watch))
  }

  @Test("A directory whose name begins with a combining mark is found when it appears")
  func marks() throws {
    let scratch = try ScratchDirectory()
    let target = scratch.path("a/\u{301}b")
    var watch = try Watch()
    try watch.add(target)
    try Directory.makeAll(target)
    #expect(try Self.changes(&watch))
    try scratch.write("x", to: "a/\u{301}b/file")
    #expect(try Self.changes(&watch))
  }

  @Test("A watch reports if it misses changes: outside of this kernel's own filesystems")
  func places() throws {
    var watch = try Watch()
    try watch.add("/dev/shm/missing/directory")
    var seesAll = watch.seesAll
    #expect(seesAll)
    try watch.add("/proc/self")
    seesAll = watch.seesAll
    #expect(!seesAll)
  }

  @Test("Changes to neighbouring names are not reported")
  func neighbours() throws {
    let scratch = try ScratchDirectory()
    var watch = try Watch()
    try watch.add(scratch.path("wanted"))
    try scratch.write("x", to: "wanted-not")
    try Directory.makeAll(scratch.path("want"))
    #expect(try watch.descriptor.wait(upTo: .seconds(5)))
    #expect(try !watch.takeChanges())
  }

  @Test("Writing to neighbouring files wakes no watcher")
  func writing() throws {
    let scratch = try ScratchDirectory()
    let file = try Descriptor(opening: try scratch.write("x", to: "written-beside"), [.writeOnly])
    var watch = try Watch()
    try watch.add(scratch.path("wanted/place"))
    for _ in 0..<100 { try file.writeAll("more".utf8.span) }
    try Directory.makeAll(scratch.path("end-of-writing"))
    // Other programs may create files in a parent directory meanwhile.
    var seen: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while !seen.contains("end-of-writing"), try watch.descriptor.wait(upTo: .seconds(10)) {
      seen += buffer[..<(try watch.descriptor.read(into: &buffer))]
    }
    #expect(seen.contains("end-of-writing") && !seen.contains("written-beside"))
    try Directory.makeAll(scratch.path("wanted/place"))
    #expect(try Self.changes(&watch))
    try scratch.write("x", to: "wanted/place/file")
    #expect(try Self.changes(&watch))
  }

  @Test("Two directories share their ancestors")
  func several() throws {
    let scratch = try ScratchDirectory()
    var watch = try Watch()
    try watch.add(scratch.path("one"))
    try watch.add(scratch.path("two"))
    try Directory.makeAll(scratch.path("two"))
    #expect(try Self.changes(&watch))
    #expect(throws: SystemError.self) { try watch.add("relative") }
  }

  @Test("Lost events are reported, and the watch continues")
  func overflow() throws {
    let scratch = try ScratchDirectory()
    let files = [try scratch.write("", to: "a"), try scratch.write("", to: "b")]
    var watch = try Watch()
    try watch.add(scratch.path)
    // Two files in turn, because the kernel merges an event with an equal previous one.
    let limit = try Descriptor(opening: "/proc/sys/fs/inotify/max_queued_events")
    let room = Int(String(decoding: try limit.readAll(upTo: 100).dropLast(), as: UTF8.self))
    for number in 0...(room ?? 16_384) { chmod(files[number % 2], 0o600) }
    #expect(try Self.changes(&watch))
    chmod(files[0], 0o600)
    #expect(try Self.changes(&watch))
  }

  /// Waits for a change. Returns false if none is reported within 10 s.
  private static func changes(_ watch: inout Watch) throws -> Bool {
    while try watch.descriptor.wait(upTo: .seconds(10)) {
      if try watch.takeChanges() { return true }
    }
    return false
  }
}

extension [UInt8] {
  fileprivate func contains(_ text: String) -> Bool {
    String(decoding: self, as: UTF8.self).contains(text)
  }
}
