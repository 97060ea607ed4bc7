import Foundation
import Support
import Testing

@Suite("A cancelled recording", .timeLimit(.minutes(10)))
struct CancelTests {
  @Test("A cancelled take leaves no file, and nothing to wait for", arguments: ["", " --delete"])
  func cancel(option: String) throws {
    let studio = try Studio()
    let cancelled = try studio.run("start a.wav && $recorder mark x && $recorder cancel\(option)")
    #expect(cancelled.code == 0, "\(cancelled)")
    #expect(try studio.run("ls -A").output.contains("a.wav") == false)
    #expect(try studio.run("$recorder wait").code == 10)
    let undone = try studio.run("$recorder undo; ls *.wav")
    #expect(undone.output.hasSuffix("a.wav\n") == option.isEmpty, "\(undone)")
    #expect(undone.output.contains("It was moved to the trash ") == option.isEmpty)
  }

  @Test("A cancelled take is in the trash; no hook runs for it, and --keep does not count it")
  func cancelInSeries() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      printf '#!/bin/sh\\ntouch "$RECORDER_TAKE_PATH.seen"\\n' > hook; chmod +x hook
      for n in 1 2; do
        start --split 1h --keep 1 --on-segment ./hook a.wav > said; captured 0.2
        "$recorder" cancel > said
      done
      "$recorder" undo > said; rm said; ls a*
      """)
    #expect(outcome.output == "a.wav\n", "\(outcome)")
  }

  @Test("A cancelled recording does not replace a file")
  func cancelledForce() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      echo old > a.wav; start --force -q a.wav > log; captured 0.1; "$recorder" cancel; cat *.wav
      ls .local/share/Trash/files | wc -l
      """)
    #expect(outcome.code == 0 && outcome.output.hasSuffix("recorder undo\nold\n1\n"), "\(outcome)")
  }

  @Test("The result has the exit code of the command", arguments: ["", "--delete"])
  func cancelResult(option: String) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      "start -q a.wav > log; captured 0.1; $recorder cancel --json \(option)")
    #expect(outcome.code == 0 && outcome.errors == "", "\(outcome)")
    let result = try parsed(outcome.output)
    #expect(result["reason"] as? String == "cancelled" && result["exit"] as? Int == 0, "\(outcome)")
    let bytes = try #require(result["bytes"] as? Int)
    #expect((bytes > 0) == option.isEmpty, "\(outcome)")
  }

  @Test("A cancel that cannot move the file to the trash fails, and the file stays")
  func cancelUntrashed() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      mkdir -p .local/share; echo > .local/share/Trash
      start -q a.wav > log; captured 0.1; "$recorder" cancel --json; echo "code $?"; ls *.wav
      """)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.dropFirst() == ["code 13", "a.wav"], "\(outcome)")
    let error = try parsed(String(lines.first ?? ""))["error"] as? [String: Any]
    #expect(error?["exit"] as? Int == 13, "\(outcome)")
    #expect(outcome.errors.contains("a.wav\": the trash of its disk cannot be used"), "\(outcome)")
  }
}
