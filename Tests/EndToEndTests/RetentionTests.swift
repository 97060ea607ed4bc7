import Foundation
import Support
import Testing

@Suite("Retention", .timeLimit(.minutes(10)))
struct RetentionTests {
  private let series = "start --split 1s --duration 2.5 --sidecar always --foreground"

  private func files(_ studio: Studio) throws -> Set<String> {
    Set(try studio.run("ls l*").output.split(separator: "\n").map(String.init))
  }

  @Test(
    "keeps and reports a file with changed content, even with the same size and time",
    arguments: ["wav", "flac", "opus"])
  func changed(format: String) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      \(series) --keep 9 l.\(format) >/dev/null; cp -p l.\(format) was
      printf changed | dd of=l.\(format) bs=1 seek=4200 conv=notrunc 2>/dev/null; touch -r was l.\(format)
      \(series) --keep 1 l.\(format) >/dev/null
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let left = try files(studio)
    #expect(left.contains("l.\(format)") && left.contains("l.\(format).json"))
    #expect(!left.contains("l-002.\(format)") && !left.contains("l-002.\(format).json"))
    #expect(left.filter { $0.hasSuffix(".\(format)") }.count == 2, "\(left)")
    let words = "l.\(format)\\\" was changed since it was recorded"
      .replacingOccurrences(of: "\\", with: "")
    #expect(outcome.errors.components(separatedBy: words).count == 2, "\(outcome)")
  }

  @Test("is announced at the start, and its deletions are in the result and in the list")
  func announced() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start --keep 1 --split 1s --duration 2.5 l.wav >started; "$recorder" wait >ended
      tr -s ' \\n' ' ' <started | grep -o 'the newest file of .* older ones'; grep -o '[0-9]* older files.*' ended
      "$recorder" takes >list; grep -c '(deleted by --keep)' list
      "$recorder" takes --json | grep -o '"deleted[A-Za-z]*":["0-9a-z]*' | sort | uniq -c | tr -s ' '
      for command in info show; do "$recorder" $command l.wav 2>&1; echo $?; done
      """)
    #expect(
      outcome.output == """
        the newest file of l.wav and deletes older ones
        2 older files (--keep)
        2
         2 "deleted":"keep"
         1 "deletedOlder":1
         1 "deletedOlder":2
        recorder: "l.wav" was deleted by --keep
        10
        recorder: "l.wav" was deleted by --keep
        10

        """, "\(outcome)")
  }

  @Test("deletes files that were only copied back or given another mode")
  func same() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      \(series) --keep 9 l.wav >/dev/null; chmod 644 l.wav; cp -p l-002.wav c; mv c l-002.wav
      \(series) --keep 1 l.wav >/dev/null
      """)
    #expect(outcome.code == 0 && outcome.errors == "", "\(outcome)")
    #expect(try files(studio) == ["l-006.wav", "l-006.wav.json"])
  }

  @Test("keeps a sidecar that a person edited, and says so")
  func sidecar() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      \(series) --keep 9 l.wav >/dev/null; sed -i 's/"schema": 1/"schema": 2/' l.wav.json
      \(series) --keep 1 l.wav >/dev/null
      """)
    let left = try files(studio)
    #expect(left == ["l.wav.json", "l-006.wav", "l-006.wav.json"], "\(outcome)")
    #expect(outcome.errors.contains("l.wav.json\" was changed since it was recorded"))
  }

  @Test("keeps a file that a hook has changed")
  func hook() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      printf '#!/bin/sh\nprintf changed >"$RECORDER_TAKE_PATH"\n' >hook; chmod +x hook
      \(series) --keep 1 --on-segment ./hook l.wav >/dev/null
      await '[ "$(cat l.wav l-002.wav)" = changedchanged ]'
      start --keep 1 --split 1s --duration 0.2 --foreground l.wav >/dev/null
      """)
    #expect(try files(studio).isSuperset(of: ["l.wav", "l-002.wav"]), "\(outcome)")
    #expect(outcome.errors.contains("l.wav\" was changed since it was recorded"))
  }

  @Test("compares size and time if the list of saved files is missing")
  func former() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      \(series) --keep 9 l.wav >/dev/null; rm $state/saved.jsonl
      printf changed | dd of=l.wav bs=1 seek=4200 conv=notrunc 2>/dev/null
      touch -d 'next week' l.wav l-003.wav.json
      \(series) --keep 1 l.wav >/dev/null
      """)
    let left = try files(studio)
    #expect(left.contains("l.wav") && left.contains("l-003.wav.json"), "\(outcome)")
    #expect(!left.contains("l-002.wav") && !left.contains("l-003.wav"), "\(left)")
  }

  @Test("reports its warnings in the status of a running recording")
  func warning() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      \(series) --keep 9 l.wav >/dev/null; printf changed >l.wav
      start --keep 1 --split 1s l.wav >/dev/null
      await '"$recorder" status --json | grep -o "since it was recorded"'
      "$recorder" stop >/dev/null
      """)
    #expect(outcome.output == "since it was recorded\n", "\(outcome)")
  }
}
