import Support
import Testing

@testable import Linux

@Suite("Names and paths are bytes")
struct PathTextTests {
  /// An accent and other characters that Swift joins with the slash before them or the text after
  /// them.
  private static let marks = ["\u{301}", "\u{600}", "\u{200D}", "\u{FE0F}"]

  @Test("A slash separates names, next to any character", arguments: marks)
  func slashes(mark: String) {
    #expect("/a/\(mark)c.wav".pathParts == ("/a/", "\(mark)c.wav"))
    #expect("/a\(mark)/c.wav".pathNames == ["a\(mark)", "c.wav"])
    #expect("\(mark)/".path(of: "b").utf8.elementsEqual("\(mark)/b".utf8))
  }

  @Test("A dot begins an extension, next to any character", arguments: marks)
  func endings(mark: String) {
    #expect("a\(mark).wav".nameParts == ("a\(mark)", ".wav"))
    #expect("\(mark).json".ends(with: ".json") && ".\(mark)a".begins(with: "."))
  }

  @Test("Names that look the same but have other bytes are different")
  func lookalikes() {
    #expect("\u{E9}" == "e\u{301}" && !"\u{E9}".isSameName(as: "e\u{301}"))
    #expect("e\u{301}".isNameBefore("\u{E9}") && !"\u{E9}".isNameBefore("e\u{301}"))
    #expect(["K"].contains(name: "K") && !["K"].contains(name: "\u{212A}"))
    let names = Set(names: ["\u{E9}", "e\u{301}", "K", "K"])
    #expect(names.count == 3 && names.contains(name: "K") && !names.contains(name: "\u{212A}"))
  }

  @Test("Names are sorted by their bytes, and a name before the longer ones that begin with it")
  func order() {
    let names = ["", "/a", "/a/b", "/a0", "/aé", "/b"]
    for (index, name) in names.enumerated() {
      for (other, second) in names.enumerated() {
        #expect(name.isNameBefore(second) == (index < other), "\(name) \(second)")
        #expect(name.isSameName(as: second) == (index == other), "\(name) \(second)")
        #expect(name.begins(with: second) == name.utf8.starts(with: second.utf8))
      }
    }
  }

  @Test(
    "Plain paths part as they always did",
    arguments: [("/a/b", "/a/", "b"), ("b", ".", "b"), ("/b", "/", "b"), ("", ".", "")])
  func plain(path: String, directory: String, name: String) {
    #expect(path.pathParts == (directory, name))
  }

  @Test(
    "The directories above a path are named from the nearest on",
    arguments: [
      ("/a/b/c", ["/a/b", "/a", "/"]), ("a/b", ["a"]), ("b", []), ("/b", ["/"]), ("", []),
      ("/a/\u{301}b", ["/a", "/"]),
    ])
  func above(path: String, directories: [String]) {
    #expect(path.directoriesAbove == directories)
  }

  @Test("A name in a directory cannot lead out of it", arguments: ["../a", "a/b", "/etc/passwd"])
  func leading(name: String) throws {
    let scratch = try ScratchDirectory()
    let directory = try Directory(scratch.path)
    for call in [
      { (directory: borrowing Directory) throws in _ = try directory.open(name) },
      { (directory: borrowing Directory) throws in _ = try directory.status(of: name) },
      { (directory: borrowing Directory) throws in try directory.remove(name) },
      { (directory: borrowing Directory) throws in try directory.rename(name, to: "a") },
      { (directory: borrowing Directory) throws in try directory.rename("a", to: name) },
    ] {
      do {
        try call(directory)
        Issue.record("it led somewhere")
      } catch let error as SystemError {
        #expect(error.errno == .invalid)
      }
    }
  }

  @Test("A page keeps its lines and style marks, and no other terminal control characters")
  func pages() {
    let bold = "\u{1B}[1m"
    let text = bold + "a\tb\n\u{1B}[31mred\u{7}\u{9B}0m\r\u{202E}x\n"
    #expect(
      PrintableText.escape(page: text, keeping: [bold])
        == bold + "a\tb\n\\x1B[31mred\\x07\\u{009B}0m\\r\\u{202E}x\n")
    #expect(PrintableText.escape(page: "plain\n") == "plain\n")
  }
}
