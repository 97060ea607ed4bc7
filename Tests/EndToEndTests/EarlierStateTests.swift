import Foundation
import Support
import Testing

/// Tests on the files of `Tests/Fixtures/first-release`, whose state has an obsolete format.
@Suite("The state of an earlier build", .timeLimit(.minutes(5)))
struct EarlierStateTests {
  private let studio: Studio

  init() throws {
    studio = try Studio(granting: false)
    let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/first-release/home").path
    try studio.run(
      """
      cp -r '\(fixture)/.' . && chmod -R go-rwx .
      grep -rlIZ --exclude='*.part' @HOME@ . | xargs -0 sed -i "s|@HOME@|$HOME|g"
      """)
  }

  private let sums = "find .local -type f -exec sha256sum {} + | sort"

  @Test(
    "is refused with the way out, and stays as it is",
    arguments: [
      "takes", "status", "stop", "recover", "undo", "play done --device test:null", "sound status",
    ])
  func refused(command: String) throws {
    let before = try studio.run(sums)
    let outcome = try studio.run("$recorder \(command)")
    #expect(outcome.code == 1, "\(outcome)")
    #expect(outcome.errors.contains("contains the state of another version"), "\(outcome)")
    #expect(outcome.errors.contains("to another name"), "\(outcome)")
    #expect(try studio.run(sums) == before)
  }

  @Test("is replaced by a new one after it was moved, and its sound files stay readable")
  func moved() throws {
    let outcome = try studio.run(
      """
      mv .local/state/recorder earlier; "$recorder" permission grant > out
      start --duration 100ms --foreground x.wav > out; "$recorder" takes | wc -l
      "$recorder" info talk.wav told.flac > out; echo $?
      for format in flac opus wav; do "$recorder" recover .killed.$format.part > out; echo $?; done
      """)
    #expect(outcome.output == "1\n0\n0\n0\n0\n", "\(outcome)")
  }
}
