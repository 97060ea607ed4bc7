import Foundation
import Support
import Testing

@Suite("The reports of the commands that control a recording", .timeLimit(.minutes(5)))
struct ControlReportTests {
  let studio: Studio

  init() throws { studio = try Studio() }

  @Test("An armed recording shows during a pause what starts it")
  func pausedArmed() throws {
    let outcome = try studio.run(
      """
      start --armed a.wav; "$recorder" pause; "$recorder" status --json
      "$recorder" trigger > log; "$recorder" resume
      """)
    let parts = outcome.output.components(separatedBy: "default: paused\n")
    #expect(parts.first?.contains("Waits for  recorder trigger\n") == true, "\(outcome)")
    #expect(
      parts.last?.contains("Waits for  recorder resume, then recorder trigger\n") == true,
      "\(outcome)")
    #expect(parts.last?.contains("\"armed\":true") == true, "\(outcome)")
  }

  @Test("A split before the take says that it does nothing, and a trigger names the pause")
  func early() throws {
    let outcome = try studio.run(
      """
      start --armed --pre-roll 30s a.wav > log; "$recorder" split > log; "$recorder" pause > log
      "$recorder" split > log; "$recorder" trigger > log; "$recorder" resume > log
      captured +0.1; "$recorder" stop --json
      """)
    #expect(outcome.code == 0 && outcome.output.contains("\"path\":"), "\(outcome)")
    #expect(!outcome.output.contains("\"segment\":"), "\(outcome)")
    #expect(
      outcome.errors == """
        recorder: the take has not begun; nothing was split
        recorder: the take has not begun; nothing was split
        recorder: the recording is paused; "recorder resume" continues it

        """)
  }

  @Test("A second trigger says that the take has already begun")
  func triggeredTwice() throws {
    let outcome = try studio.run(
      """
      start --armed a.wav > log; "$recorder" trigger > log; captured 0.1; "$recorder" trigger
      """)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.errors == "recorder: \"default\" has already begun\n")
  }

  @Test("A split names the finished file, but not if the next file has not begun")
  func split() throws {
    let outcome = try studio.run(
      """
      start a.wav > log; captured 0.1; "$recorder" split; "$recorder" pause > log
      echo paused; "$recorder" split 2> log
      """)
    let parts = outcome.output.components(separatedBy: "\npaused\n")
    let row = try Regex("\n  Finished +\(studio.scratch.path("a.wav"))\n")
    #expect(parts.count == 2 && parts[0].contains(row), "\(outcome)")
    #expect(parts.last?.contains("Finished") == false, "\(outcome)")
  }

  @Test("A stop of a recording whose process is stopped says so, and ends after a continue")
  func stopped() throws {
    let process = try studio.start("--tolerate-gaps a.wav")
    let outcome = try studio.run(
      """
      captured 0.1; kill -STOP \(process); await 'grep -q "^State:.T" /proc/\(process)/status'
      "$recorder" stop > log 2> said & await '[ -s said ]'; kill -CONT \(process); wait
      cat said log
      """)
    #expect(outcome.output.contains("\"default\" does not respond\n"), "\(outcome)")
    #expect(outcome.output.contains("\"kill -CONT \(process)\" continues it\n"), "\(outcome)")
    #expect(outcome.output.contains("Saved "), "\(outcome)")
  }

  @Test("A stop without a name says which recordings continue")
  func others() throws {
    let outcome = try studio.run(
      """
      for name in default b c; do start -n $name $name.wav > log; done; captured 0.1
      "$recorder" stop > log; "$recorder" stop b 2>&1
      """)
    #expect(outcome.errors.contains("recorder: still recording: \""), "\(outcome)")
    for name in ["b", "c"] {
      #expect(outcome.errors.contains("\"recorder stop \(name)\""), "\(outcome)")
    }
    #expect(!outcome.output.contains("still recording"), "\(outcome)")
  }
}
