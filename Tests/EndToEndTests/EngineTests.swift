import Foundation
import Support
import Testing

@Suite("The command and its engine")
struct EngineTests {
  private static let isInstalled = ["/usr/local", "/usr"].contains {
    FileManager.default.fileExists(atPath: $0 + "/libexec/recorder/recorder-engine")
  }

  @Test(
    "A missing engine is told, with where it was looked for and what to do",
    .disabled(if: isInstalled, "recorder is installed on this machine, so an engine is found"))
  func missing() throws {
    let scratch = try ScratchDirectory()
    let recorder = try scratch.copy(Products.recorder, to: "bin/recorder")
    let outcome = try sh("\(recorder) devices")
    #expect(outcome.code == 1 && outcome.output == "")
    #expect(
      outcome.errors.hasPrefix("recorder: \"devices\" needs recorder-engine, which is not in "))
    #expect(outcome.errors.contains("\(scratch.path)/bin/recorder-engine"))
    #expect(outcome.errors.contains("recorder: install recorder again"))
  }

  @Test("Commands that need no engine work without one")
  func withoutEngine() throws {
    let scratch = try ScratchDirectory()
    let recorder = try scratch.copy(Products.recorder, to: "recorder")
    #expect(try sh("\(recorder) --version").code == 0)
    #expect(try sh("\(recorder) devices --help").code == 0)
  }

  @Test(
    "An engine is found in every place that it may be installed in",
    arguments: ["bin/recorder-engine", "libexec/recorder/recorder-engine"])
  func found(place: String) throws {
    let scratch = try ScratchDirectory()
    let recorder = try scratch.copy(Products.recorder, to: "bin/recorder")
    let engine = try scratch.copy("/bin/echo", to: place)
    #expect(FileManager.default.isExecutableFile(atPath: engine))
    let outcome = try sh("\(recorder) info -- 'a  b' --levels '*' 'ü'")
    #expect(outcome == Outcome(code: 0, output: "info -- a  b --levels * ü\n", errors: ""))
  }

  @Test("A link to the command finds the engine next to its target")
  func link() throws {
    let scratch = try ScratchDirectory()
    let recorder = try scratch.copy(Products.recorder, to: "build/recorder")
    _ = try scratch.copy("/bin/echo", to: "build/recorder-engine")
    #expect(
      try sh("ln -s \(recorder) \(scratch.path)/r; \(scratch.path)/r doctor").output == "doctor\n")
  }

  @Test("An engine that cannot be run is reported with the reason")
  func notExecutable() throws {
    let scratch = try ScratchDirectory()
    let recorder = try scratch.copy(Products.recorder, to: "recorder")
    let outcome = try sh("echo x > \(scratch.path)/recorder-engine; \(recorder) devices")
    #expect(outcome.code == 1)
    #expect(
      outcome.errors.hasPrefix(
        "recorder: cannot run \"\(scratch.path)/recorder-engine\": Permission denied\n"))
  }

  @Test("Wrong usage is reported before the engine is searched for")
  func usageFirst() throws {
    let scratch = try ScratchDirectory()
    let recorder = try scratch.copy(Products.recorder, to: "recorder")
    #expect(try sh("\(recorder) devices --bogus").code == 64)
  }

  @Test("The command links no sound library, because each would slow down its start")
  func links() throws {
    let libraries = try sh("ldd $recorder").output
    #expect(libraries.contains("libc.so"))
    #expect(["asound", "sndfile", "soxr"].allSatisfy { !libraries.contains($0) })
  }

  @Test(
    "With the rights of somebody else nothing is done",
    .requiresRoot, .requires(tool: "setpriv"))
  func borrowedRights() throws {
    let scratch = try ScratchDirectory()
    let recorder = try scratch.copy(Products.recorder, to: "recorder")
    let outcome = try sh(
      "chmod 755 \(scratch.path); chmod 4755 \(recorder); "
        + "setpriv --reuid=65534 --clear-groups \(recorder) --version")
    #expect(outcome.code == 1 && outcome.output == "")
    #expect(outcome.errors.hasPrefix("recorder: refuses to run"))
  }
}

extension ScratchDirectory {
  /// Copies a program to a path below the directory, and returns the full path.
  ///
  /// It runs `install`, because a program that this process had open for writing could not be run
  /// ("text file busy").
  fileprivate func copy(_ program: String, to place: String) throws -> String {
    let target = path(place)
    let copied = try Tool.run("install", ["-D", "-m", "755", program, target])
    try #require(copied.code == 0, "\(copied.errorText)")
    return target
  }
}
