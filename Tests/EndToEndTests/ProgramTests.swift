import Foundation
import Support
import Testing

@Suite("The program")
struct ProgramTests {
  @Test("A program in any prefix finds the sounds that were installed with it")
  func prefix() throws {
    let outcome = try Studio().run(
      """
      mkdir -p prefix/bin prefix/share; cp "$recorder" prefix/bin
      cp -r "\(DocumentPage.root.path)/Resources" prefix/share/recorder
      prefix/bin/recorder sound info --json umbrella
      """)
    #expect(outcome.output.contains("/prefix/share/recorder/Sounds/umbrella.wav"), "\(outcome)")
  }

  @Test("It links no sound library, which every start would pay for")
  func links() throws {
    let libraries = try sh("ldd $recorder").output
    #expect(libraries.contains("libc.so"))
    #expect(["asound", "sndfile", "soxr"].allSatisfy { !libraries.contains($0) })
  }

  @Test(
    "With another user's rights, it refuses to run",
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
  /// Copies a program to a place below the directory and returns where it went.
  ///
  /// By `cp`, because a program that this process had open for writing could not be run ("text file busy").
  fileprivate func copy(_ program: String, to place: String) throws -> String {
    let target = path(place)
    let copied = try Tool.run("install", ["-D", "-m", "755", program, target])
    try #require(copied.code == 0, "\(copied.errorText)")
    return target
  }
}
