import Foundation
import Linux
import Support
import Testing

@Suite("A file is replaced in one step")
struct AtomicFileTests {
  @Test("The file has the new bytes alone, is private, and no other file is left")
  func replaces() throws {
    let scratch = try ScratchDirectory()
    let directory = try Directory(scratch.path)
    for text in ["first", "", "third and longer"] {
      try AtomicFile.write(text.utf8.span, to: "state", in: directory)
      #expect(try scratch.read("state") == Array(text.utf8))
    }
    #expect(try directory.status(of: "state").mode == 0o600)
    #expect(try scratch.names() == ["state"])
  }

  @Test("A failed write leaves the old file and no temporary one")
  func failure() throws {
    let scratch = try ScratchDirectory()
    let directory = try Directory(scratch.path)
    try directory.makeDirectory("state")
    let error = #expect(throws: SystemError.self) {
      try AtomicFile.write("x".utf8.span, to: "state", in: directory)
    }
    #expect(error?.function == "renameat")
    #expect(try scratch.names() == ["state"])
  }

  @Test("Only the temporary files of a killed writer of this name are removed")
  func leftovers() throws {
    let scratch = try ScratchDirectory()
    let kept = [
      ".state.tmp", ".state.0123456789abcdeg.tmp", ".other.0123456789abcdef.tmp", "state",
    ]
    for name in kept + [".state.0123456789abcdef.tmp"] { try scratch.write("x", to: name) }
    try AtomicFile.removeLeftovers(of: "state", in: try Directory(scratch.path))
    #expect(try scratch.names() == kept.sorted())
  }

  @Test("A copy is complete from the beginning, private, and replaces no other file")
  func copies() throws {
    let scratch = try ScratchDirectory()
    let directory = try Directory(scratch.path)
    var random = SeededGenerator(seed: 7)
    let bytes = random.bytes(600_001)
    try Data(bytes).write(to: URL(filePath: scratch.path("a")))
    let source = try directory.open("a")
    var head = [UInt8](repeating: 0, count: 100)
    _ = try source.read(into: &head)
    try AtomicFile.copy(source, to: "b", in: directory)
    #expect(try scratch.read("b") == bytes)
    #expect(try directory.status(of: "b").mode == 0o600)
    symlink("nowhere", scratch.path("link"))
    for taken in ["a", "b", "link"] {
      let error = #expect(throws: SystemError.self) {
        try AtomicFile.copy(source, to: taken, in: directory)
      }
      #expect(error?.errno == .exists)
    }
    try scratch.write("x", to: ".copy.0123456789abcdef.tmp")
    try AtomicFile.removeUnfinishedCopies(in: directory)
    #expect(try scratch.names() == ["a", "b", "link"])
  }

  @Test("A reader finds the old or the new file after each of 50 kills", .timeLimit(.minutes(10)))
  func killed() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.path
    try scratch.write(AtomicFileTests.content(0), to: "state")
    var random = SeededGenerator(seed: 50)
    for _ in 0..<50 {
      let delay = Int.random(in: 0...8000, using: &random)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, delay = delay as Int] in
        try AtomicFileTests.writeUntilKilled(in: path, after: .microseconds(delay))
      }
      let text = String(decoding: try scratch.read("state"), as: UTF8.self)
      #expect(text == AtomicFileTests.content(Int(text.prefix(8)) ?? -1))
    }
    let stray = try scratch.names().filter { $0 != "state" }
    try AtomicFile.removeLeftovers(of: "state", in: try Directory(path))
    #expect(try scratch.names() == ["state"], "\(stray.count) temporary files were left by kills")
  }

  static func content(_ number: Int) -> String {
    let digits = String(repeating: "0", count: 8 - "\(number)".count) + "\(number)"
    return String(repeating: digits, count: 1000 + number % 700)
  }

  static func writeUntilKilled(in path: String, after delay: Duration) throws {
    let killer = try Thread("killer") {
      // The kill comes after a different time in each round.
      KernelClock.sleep(delay)
      kill(getpid(), SIGKILL)
    }
    let directory = try Directory(path)
    for number in 1... {
      try AtomicFile.write(content(number).utf8.span, to: "state", in: directory)
    }
    killer.join()
  }
}
