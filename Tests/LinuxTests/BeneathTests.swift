import Foundation
import Support
import Testing

@testable import Linux

@Suite("Opening beneath a directory")
struct BeneathTests {
  @Test("Links may lead anywhere beneath the directory, but never out of it")
  func links() throws {
    let scratch = try ScratchDirectory()
    try Directory.makeAll(scratch.path("top/inner"))
    try scratch.write("in", to: "top/inner/file")
    try scratch.write("out", to: "outside")
    symlink("inner/file", scratch.path("top/link"))
    symlink("../link", scratch.path("top/inner/back"))
    symlink("../outside", scratch.path("top/out"))
    symlink("/", scratch.path("top/root"))
    let top = try Directory(scratch.path("top"))
    for path in ["inner/file", "link", "inner/back", "inner/../link"] {
      #expect(try top.open(beneath: path).readAll(upTo: 10) == Array("in".utf8), "\(path)")
    }
    for path in ["out", "root/etc/passwd", "../outside", "/etc/passwd"] {
      #expect(throws: SystemError.self, "\(path)") { _ = try top.open(beneath: path) }
    }
  }

  @Test("Without support in the kernel, links and dots are refused")
  func fallback() throws {
    let scratch = try ScratchDirectory()
    try Directory.makeAll(scratch.path("top/inner"))
    try scratch.write("in", to: "top/inner/file")
    symlink("inner", scratch.path("top/link"))
    let top = try Directory(scratch.path("top"))
    #expect(try top.openFollowingNothing("inner/file", []).readAll(upTo: 10) == Array("in".utf8))
    for path in ["link/file", "link", "inner/../inner/file", "/etc/passwd"] {
      #expect(throws: SystemError.self, "\(path)") {
        _ = try top.openFollowingNothing(path, [])
      }
    }
  }
}
