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

  @Test("A deleted take is the last recording, also by its name, and its texts are gone")
  func deleted() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start old.wav > log; captured 0.1; "$recorder" stop > log
      start --title zebra -n del del.wav > log; captured 0.1 del; "$recorder" cancel --delete > log
      "$recorder" status; "$recorder" wait del; echo code $?; "$recorder" status del
      grep -rl zebra $state; "$recorder" takes
      """)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.first == "Nothing is being recorded.", "\(outcome)")
    #expect(lines.dropFirst().first?.hasPrefix("\"del\" ended ") == true, "\(outcome)")
    #expect(lines.dropFirst().first?.hasSuffix(" ago: cancelled and deleted.") == true)
    #expect(lines.contains("No file was kept") && lines.contains("code 15"), "\(outcome)")
    #expect(outcome.errors.contains("ago: cancelled and deleted"), "\(outcome)")
    // grep prints nothing, and the list has only the older take.
    #expect(lines.last?.hasSuffix("/old.wav") == true, "\(outcome)")
    #expect(!outcome.output.contains("deleted/del.json"), "\(outcome)")
    #expect(!outcome.output.contains("del: no file"), "\(outcome)")
    let last = try studio.json("status")["last"] as? [String: Any]
    #expect(last?["reason"] as? String == "cancelled" && last?["path"] == nil, "\(last ?? [:])")
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

  @Test(
    "A cancel that cannot rename or delete the file says so, and recover saves the file",
    arguments: [("", "cannot rename"), ("--delete", "cannot remove")])
  func hidden(option: String, message: String) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      mkdir d; start -q d/a.wav > log; captured 0.1; chmod 555 d
      "$recorder" cancel \(option); echo "code $?"; chmod 755 d; "$recorder" recover > log; ls d
      """)
    #expect(outcome.output.hasSuffix("\ncode 14\na-recovered.wav\n"), "\(outcome)")
    #expect(outcome.output.contains(message), "\(outcome)")
    #expect(outcome.output.contains("\"recorder recover\" completes it"), "\(outcome)")
    #expect(!outcome.output.contains("undo"), "\(outcome)")
  }

  @Test("Two cancels at once both succeed, and undo restores the file")
  func cancelTwice() throws {
    let studio = try Studio()
    let process = try studio.start("a.wav")
    let outcome = try studio.run(
      """
      captured 0.1; kill -STOP \(process)
      "$recorder" cancel > one & one=$!; "$recorder" cancel > two & two=$!
      await '[ "$(grep -c "$XDG_RUNTIME_DIR/recorder/.*/default.sock" /proc/net/unix)" -ge 3 ]'
      kill -CONT \(process); wait $one; echo $?; wait $two; echo $?; cat one two | grep -c Cancelled
      "$recorder" undo > log; ls *.wav
      """)
    #expect(outcome.output == "0\n0\n2\na.wav\n", "\(outcome)")
  }
}
