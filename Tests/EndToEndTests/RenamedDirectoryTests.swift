import Foundation
import Support
import Testing

@Suite("A directory that is renamed while a take is recorded into it", .timeLimit(.minutes(10)))
struct RenamedDirectoryTests {
  let studio: Studio

  init() throws { studio = try Studio() }

  /// Records raw samples under the name `talk`, and runs a script that renames the directory and
  /// kills the session. Raw samples need their record, because only the record has their format.
  private func rename(killing when: String) throws {
    let process = try studio.start("d/a.raw --name talk")
    let outcome = try studio.run(
      """
      "$recorder" mark --name talk here; \(when); ended \(process)
      """.replacing("PID", with: "\(process)"))
    #expect(outcome.code == 0, "\(outcome)")
  }

  @Test("and whose session is killed immediately: recover reports the take, and finds it by a path")
  func atOnce() throws {
    try rename(killing: "kill -STOP PID; mv d e; kill -KILL PID")
    let said = try studio.run("$recorder recover --list; echo $?; $recorder recover --json")
    #expect(said.output.contains("d/.a.raw.part is missing: the recording was"), "\(said)")
    #expect(said.output.contains("talk\n") && said.output.contains("recorder recover PATH\n0\n"))
    #expect(said.output.contains(#""name":"talk","part":"#), "\(said)")
    // The take was reported once, and can still be found.
    #expect(try studio.run("$recorder recover").output == "There is nothing to recover.\n")
    // Another recording of the name sets the record aside, and recover still finds it.
    #expect(try studio.run("start b.wav --name talk --duration 0.1 --foreground").code == 0)
    let outcome = try studio.run("$recorder recover e --json; ls -A e")
    #expect(outcome.output.hasSuffix("a-recovered.raw\na-recovered.raw.json\n"), "\(outcome)")
    #expect(outcome.output.contains(#""name":"talk""#) && outcome.output.contains(#""marks":1"#))
    #expect(try studio.run("$recorder recover").output == "There is nothing to recover.\n")
    #expect(try studio.run("ls $state/interrupted").output == "")
  }

  @Test("and whose session lived for another second: recover finds the take without a path")
  func later() throws {
    try rename(
      killing: """
        mv d e; await grep -q '/e/.a.raw.part' $state/sessions/talk.json; kill -KILL PID
        """)
    let outcome = try studio.run("$recorder recover --json; ls -A e")
    #expect(outcome.output.hasSuffix("a-recovered.raw\na-recovered.raw.json\n"), "\(outcome)")
    #expect(outcome.output.contains(#""missing":[]"#))
  }

  @Test("to a path that is not UTF-8: the end of the take reports it, because no list can have it")
  func notText() throws {
    let outcome = try studio.run(
      """
      start d/a.wav > said; captured 0.2; bad=$(printf 'd\\377'); mv d "$bad"
      "$recorder" stop > said; echo $?; grep -c 'is not UTF-8 text' said; ls "$bad"
      """)
    #expect(outcome.output == "14\n1\na.wav\n", "\(outcome)")
  }
}
