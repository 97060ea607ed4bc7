import Foundation
import Support
import Testing

@Suite("A trash or a rename that failed", .timeLimit(.minutes(10)))
struct FailedChangeTests {
  @Test(
    "is named by undo with the change before it, which only --older undoes",
    arguments: [
      "trash @9", "trash b.wav none", "rename @1 a", "rename @1 a --title b", "trash @1",
    ])
  func failed(command: String) throws {
    let archive = try Archive(["a.wav", "b.wav", "c.wav"], sidecars: false)
    try archive.run("rename", "@1", "z")
    // No trash can be created.
    try archive.studio.run("mkdir -p .local/share; echo > .local/share/Trash")
    #expect(try archive.run(command.split(separator: " ").map(String.init)).code != 0)
    let before = archive.names("").sorted()
    let refused = try archive.run("undo")
    #expect(refused.code == 10 && refused.output == "", "\(refused)")
    #expect(refused.errors.contains("\"recorder \(command)\" failed"), "\(refused)")
    #expect(refused.errors.contains("was renamed"), "\(refused)")
    #expect(refused.errors.contains("undo --older\""), "\(refused)")
    #expect(archive.names("").sorted() == before)
    #expect(try archive.run("undo", "--older").code == 0)
    #expect(archive.names("").sorted() == ["a.wav", "b.wav", "c.wav"])
    let nothing = try archive.run("undo")
    #expect(nothing.errors.contains("nothing to undo"), "\(nothing)")
  }

  @Test(
    "of a take in the trash advises the undo that restores it",
    arguments: [["trash", "b.wav"], ["rename", "b.wav", "x"], ["info", "b.wav"]])
  func advised(command: [String]) throws {
    let archive = try Archive(["a.wav", "b.wav"], sidecars: false)
    try archive.run("trash", "b.wav")
    let refused = try archive.run(command)
    #expect(refused.code == 10, "\(refused)")
    let lines = refused.errors.split(separator: "\n")
    let line = try #require(lines.first { $0.contains("restores it") })
    let words = line.split(separator: "\"")[1].split(separator: " ").dropFirst().map(String.init)
    let undone = try archive.run(words)
    #expect(undone.code == 0, "\(refused) \(undone)")
    #expect(archive.names("").sorted() == ["a.wav", "b.wav"])
  }

  @Test("does not matter to undo after the next change")
  func retried() throws {
    let archive = try Archive(["a.wav", "b.wav"], sidecars: false)
    try archive.run("rename", "@1", "z")
    #expect(try archive.run("rename", "@2", "z").code == 13)
    try archive.run("rename", "@2", "y")
    for _ in 0..<2 { #expect(try archive.run("undo").code == 0) }
    #expect(archive.names("").sorted() == ["a.wav", "b.wav"])
  }
}
