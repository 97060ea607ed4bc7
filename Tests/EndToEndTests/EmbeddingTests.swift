import Foundation
import Support
import Testing

@Suite("A program with a player of its own", .timeLimit(.minutes(5)))
struct EmbeddingTests {
  private static let resources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Resources").path

  private func play(_ name: String, in scratch: borrowing ScratchDirectory) throws -> Tool.Outcome {
    try Tool.run(
      Products.path("embedding"), [scratch.path("memory"), Self.resources, name, "test:null"],
      environment: ["HOME": scratch.path, "XDG_RUNTIME_DIR": scratch.path])
  }

  @Test("plays a sound by its name, and leaves the player of the user alone")
  func plays() throws {
    let scratch = try ScratchDirectory()
    let outcome = try play("click", in: scratch)
    #expect(outcome.code == 0 && outcome.outputText == "click ended\n", "\(outcome.errorText)")
    #expect(try scratch.names() == ["memory"])
  }

  @Test("gets the reason where there is no such sound")
  func refused() throws {
    let scratch = try ScratchDirectory()
    let outcome = try play("clik", in: scratch)
    #expect(outcome.code != 0)
    #expect(outcome.errorText.contains("notFound"))
  }

  @Test(
    "starts no process and keeps its signals, whatever it plays", .requires(tool: "strace"),
    arguments: ["click", "alarm"])
  func alone(name: String) throws {
    let scratch = try ScratchDirectory()
    let outcome = try Tool.run(
      "strace",
      [
        "-f", "-qq", "-e", "trace=%process,rt_sigaction,signalfd4", "-e", "signal=none",
        "-o", scratch.path("trace"), Products.path("embedding"), scratch.path("memory"),
        Self.resources, name, "test:null",
      ], environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(outcome.code == 0 && outcome.outputText == "\(name) ended\n", "\(outcome.errorText)")
    let calls = String(decoding: try scratch.read("trace"), as: UTF8.self).split(separator: "\n")
    let started = calls.filter { call in
      call.contains("fork") || call.contains("clone") && !call.contains("CLONE_THREAD")
    }
    #expect(started.isEmpty && calls.count { $0.contains("execve") } == 1, "\(started)")
    // The C library has one signal of its own, from the first thread on.
    let signals = calls.filter { $0.contains("sig") && !$0.contains("SIGRT_1") }
    #expect(signals.isEmpty, "\(signals)")
  }
}
