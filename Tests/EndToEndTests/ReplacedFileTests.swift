import Foundation
import Support
import Testing

@Suite("A start with --force", .timeLimit(.minutes(5)))
struct ReplacedFileTests {
  @Test("moves a file that has the name of the sidecar to the trash, even without a sound file")
  func sidecarName() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      echo precious > a.flac.json; start --force --sidecar always -q a.flac > log; captured 0.1
      "$recorder" stop > log; grep -c '"events"' a.flac.json
      cat .local/share/Trash/files/a.flac.json
      "$recorder" undo | grep -c a.flac-restored.json; cat a.flac-restored.json
      """)
    #expect(outcome.output == "1\nprecious\n1\nprecious\n", "\(outcome)")
  }

  @Test("keeps the file in its place until the end, for any number of files given to trash")
  func trashed() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start --duration 0.2 --foreground a.wav > log; start --force -q a.wav > log; captured 0.1
      "$recorder" trash a.wav; echo $?
      "$recorder" trash a.wav a.wav a.wav a.wav a.wav a.wav a.wav a.wav a.wav; echo $?; ls *.wav
      """)
    #expect(outcome.output == "11\n11\na.wav\n", "\(outcome)")
  }

  @Test("leaves a file alone that has the name of a sidecar which is not needed")
  func unneeded() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      echo precious > a.wav.json; start --force -q a.wav > log; captured 0.1
      "$recorder" stop > log; echo $?; cat a.wav.json
      """)
    #expect(outcome.output == "0\nprecious\n", "\(outcome)")
  }

  @Test(
    "keeps the file that has the name while another command changes takes",
    .requires(tool: "flock"))
  func busy() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start --duration 0.2 --foreground a.wav > log; cp a.wav copy
      flock "$state/changes.lock" "$recorder" start -q -d test:ramp --force --duration 0.4 \
        --foreground a.wav > log 2>&1; echo $?; cmp a.wav copy && ls *.wav
      """)
    #expect(outcome.output == "13\na-002.wav\na.wav\n", "\(outcome)")
  }
}
