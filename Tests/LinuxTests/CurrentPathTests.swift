import Glibc
import Linux
import Support
import Testing

@Suite("The path of an open file")
struct CurrentPathTests {
  @Test("is the real path behind symbolic links, also after a move")
  func path() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("1", to: "a (deleted)")
    #expect(symlink("a (deleted)", scratch.path("link")) == 0)
    let file = try Descriptor(opening: scratch.path("link"))
    #expect(try file.currentPath() == scratch.path("a (deleted)"))
    #expect(rename(scratch.path("a (deleted)"), scratch.path("b")) == 0)
    #expect(try file.currentPath() == scratch.path("b"))
  }

  @Test("of a directory that was renamed to a path that is not UTF-8 is not known")
  func notText() throws {
    let scratch = try ScratchDirectory()
    #expect(mkdir(scratch.path("a"), 0o700) == 0)
    let directory = try Directory(scratch.path("a"))
    var isForeign = directory.hasForeignPath
    #expect(!isForeign && rename(scratch.path("a"), scratch.path("b")) == 0)
    isForeign = directory.hasForeignPath
    let present = directory.presentPath(of: "f")
    #expect(!isForeign && present == scratch.path("b/f"))
    let bytes = Array(scratch.path("c").utf8CString.dropLast()) + [-1, 0]
    let renamed = rename(scratch.path("b"), bytes)
    isForeign = directory.hasForeignPath
    #expect(renamed == 0 && isForeign)
    #expect(rename(bytes, scratch.path("b")) == 0)
  }

  @Test("is nil once the file was removed, or another file has its name")
  func gone() throws {
    let scratch = try ScratchDirectory()
    for (name, isReplaced) in [("a", false), ("b", true)] {
      try scratch.write("1", to: name)
      let file = try Descriptor(opening: scratch.path(name))
      // An additional name does not replace the original one.
      #expect(link(scratch.path(name), scratch.path("copy-" + name)) == 0)
      if isReplaced {
        try scratch.write("2", to: "new")
        #expect(rename(scratch.path("new"), scratch.path(name)) == 0)
      } else {
        #expect(unlink(scratch.path(name)) == 0)
      }
      #expect(try file.currentPath() == nil)
    }
  }
}
