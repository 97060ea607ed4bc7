import Support
import Testing

@Suite("A sidecar whose file was deleted", .timeLimit(.minutes(10)))
struct LeftSidecarTests {
  @Test("does not describe a new take of the same name and length")
  func sameLength() throws {
    let outcome = try Studio().run(
      """
      start --duration 3s a.flac > said; captured 0.2
      "$recorder" mark here > said; "$recorder" wait > said
      "$recorder" info --json a.flac | grep -c here; rm a.flac
      start --duration 3s --foreground a.flac > said; "$recorder" info --json a.flac | grep -c here
      ls a.*
      """)
    #expect(outcome.output == "1\n0\na.flac\na.flac.json\n", "\(outcome)")
  }
}
