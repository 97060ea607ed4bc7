import Foundation
import Support
import Testing

@Suite("The title of a take", .timeLimit(.minutes(5)))
struct TitleTests {
  private func studio(_ file: String, _ options: String = "") throws -> Studio {
    let studio = try Studio()
    let made = try studio.run(
      "start -q --foreground --duration 200ms \(options) \(file) > log 2>&1; cp \(file) copy")
    try #require(made.code == 0, "\(made)")
    return studio
  }

  private func title(_ studio: Studio, _ command: String) throws -> String? {
    let object = try studio.json(command)
    let first = ((object["takes"] ?? object["files"]) as? [[String: Any]])?.first
    return (first?["tags"] as? [String: Any] ?? first)?["title"] as? String
  }

  @Test(
    "can be changed and restored for every format, and the file stays as it is",
    arguments: ["a.wav", "a.flac", "a.caf", "a.raw"], ["", "--title Before"])
  func changed(file: String, options: String) throws {
    let studio = try studio(file, options)
    let former = options.isEmpty ? nil : "Before"
    let said = try studio.run("$recorder rename @1 --title 'After it'; cmp \(file) copy")
    #expect(said.code == 0, "\(said)")
    #expect(said.output == "The title of \(studio.scratch.path(file)) is now \"After it\"\n")
    for command in ["takes", "takes after", "info @1", "info \(file)"] {
      #expect(try title(studio, command) == "After it", "\(command)")
    }
    #expect(try studio.run("$recorder takes; $recorder info @1").output.contains("\"After it\""))
    let export = try studio.run("$recorder export -q @1 out.flac > log 2>&1")
    #expect(try title(studio, "info out.flac") == "After it", "\(export)")
    let undone = try studio.run("$recorder undo; cmp \(file) copy")
    #expect(undone.code == 0 && undone.output.contains("It was given a new title "), "\(undone)")
    #expect(try title(studio, "takes") == former)
    if file != "a.raw" { #expect(try title(studio, "info @1") == former) }
    #expect(try studio.run("$recorder redo").code == 0)
    #expect(try title(studio, "takes") == "After it")
  }

  @Test(
    "is shown by info with the comment, in every format",
    arguments: ["a.wav", "a.flac", "a.caf", "a.aiff", "a.raw"])
  func shown(file: String) throws {
    let studio = try studio(file, "--title Before --note 'A note'")
    let info = try studio.run("$recorder info \(file)").output
    #expect(info.contains("\n  Title      Before\n"), "\(info)")
    #expect(info.contains("\n  Comment    A note\n"), "\(info)")
    #expect(try title(studio, "info \(file)") == "Before")
  }

  @Test("can be changed together with the name, and is kept by the trash")
  func together() throws {
    let studio = try studio("a.wav")
    let said = try studio.run(
      """
      "$recorder" rename a.wav b --title New; "$recorder" rename b.wav --title New
      { "$recorder" trash b.wav; "$recorder" undo; } > /dev/null
      """)
    let home = studio.scratch.path
    #expect(
      said.output.replacing(home + "/", with: "") == """
        Renamed a.wav to b.wav
        The title of b.wav is now "New"
        It already has that title\n
        """, "\(said)")
    #expect(try title(studio, "takes") == "New")
    try studio.run("$recorder undo")
    #expect(try studio.run("ls *.wav").output == "a.wav\n")
    #expect(try title(studio, "takes") == nil)
  }

  @Test("and a name with spaces are both quoted, so that their ends are visible")
  func spaces() throws {
    let studio = try studio("a.wav")
    let said = try studio.run(
      """
      "$recorder" rename a.wav 'my bar'; "$recorder" rename 'my bar.wav' b; "$recorder" undo
      """)
    let path = studio.scratch.path("my bar.wav")
    let lines = said.output.split(separator: "\n").map(String.init)
    #expect(
      lines.prefix(3) == [
        "Renamed \(studio.scratch.path("a.wav")) to \"my bar.wav\"",
        "Renamed \"\(path)\" to b.wav", "Renamed \(studio.scratch.path("b.wav")) to \"my bar.wav\"",
      ], "\(said)")
  }

  @Test("is removed by an empty text, and restored by undo", arguments: ["a.wav", "a.raw"])
  func removed(file: String) throws {
    let studio = try studio(file, "--title Before")
    let said = try studio.run(
      "$recorder rename @1 --title ''; $recorder rename @1 --title ''; cmp \(file) copy")
    let path = studio.scratch.path(file)
    #expect(said.output == "\(path) has no title now\nIt has no title\n", "\(said)")
    for command in ["takes", "info @1"] { #expect(try title(studio, command) == nil, "\(command)") }
    #expect(try !studio.run("$recorder takes").output.contains("Before"))
    try studio.run("$recorder undo")
    #expect(try title(studio, "takes") == "Before")
  }

  @Test("must be a line of text", arguments: ["--title \"$(printf 'a\\nb')\"", ""])
  func refused(options: String) throws {
    let outcome = try studio("a.wav").run("$recorder rename @1 \(options)")
    #expect(outcome.code == 64, "\(outcome)")
  }
}
