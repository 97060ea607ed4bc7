import Foundation
import Support
import Testing

@Suite("The binary interface of libpipewire")
struct InterfaceTests {
  @Test("is declared as in PipeWire's own headers", .requires(package: "libpipewire-0.3"))
  func headers() throws {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let root = here.deletingLastPathComponent().deletingLastPathComponent()
    let made = try Tool.run(
      "bash",
      [
        "-c",
        "cc -std=gnu11 -Wall -fsyntax-only -I \"$1\" $(pkg-config --cflags libpipewire-0.3) \"$2\"",
        "bash", root.appending(path: "Sources/CPipeWire").path,
        here.appending(path: "interface.c").path,
      ])
    #expect(made.code == 0, "\(made.errorText)")
  }
}
