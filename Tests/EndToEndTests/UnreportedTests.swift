import Foundation
import Support
import Testing

@Suite("The end of a recording that was not reported", .timeLimit(.minutes(10)))
struct UnreportedTests {
  @Test(
    "is an interruption if the recording was killed after a split",
    arguments: ["stop", "stop q", "wait", "wait q"])
  func killedAfterSplit(command: String) throws {
    let studio = try Studio()
    let process = try studio.start("-n q q.wav")
    let outcome = try studio.run(
      """
      captured 0.2 q; "$recorder" split q > log; await [ -e q.wav ]
      kill -KILL \(process); ended \(process); "$recorder" \(command)
      """)
    #expect(outcome.code == 14 && outcome.output.isEmpty, "\(outcome)")
    for words in ["\"q\" was interrupted", "/.q-002.wav.part\"", "\"recorder recover\""] {
      #expect(outcome.errors.contains(words), "\(outcome)")
    }
  }

  @Test("is reported once without the name, if it is the only one", arguments: ["stop", "wait"])
  func only(verb: String) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start -n sub a.wav > log; captured 0.1 sub; "$recorder" permission revoke > log
      await '! "$recorder" status --quiet'
      for n in 1 2; do "$recorder" \(verb); echo code $?; done
      """)
    #expect(outcome.output.hasSuffix("\ncode 24\ncode 10\n"), "\(outcome)")
    #expect(outcome.errors.contains("nothing is being recorded"), "\(outcome)")
  }

  @Test("is listed with the command for it, if there are several", arguments: ["stop", "wait"])
  func several(verb: String) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      for name in one two; do
        start -n $name --duration 0.1 $name.wav > log; await '! "$recorder" status --quiet'
      done
      "$recorder" \(verb); echo code $?; "$recorder" \(verb) one > log; echo code $?
      "$recorder" \(verb)
      """)
    #expect(outcome.output.hasPrefix("code 10\ncode 0\nSaved "), "\(outcome)")
    #expect(outcome.output.contains("/two.wav\n"), "\(outcome)")
    for name in ["one", "two"] {
      for words in ["\"\(name)\" ended ", "\"recorder \(verb) \(name)\" reports it"] {
        #expect(outcome.errors.contains(words), "\(outcome)")
      }
    }
  }
}
