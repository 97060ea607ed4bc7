import Support
import Testing

@Suite("An announcement that cannot be read", .timeLimit(.minutes(10)))
struct AnnouncementTests {
  @Test("is kept, and reported once by each command that lists takes")
  func reported() throws {
    let outcome = try Studio().run(
      """
      start --duration 0.1 --foreground a.wav > said
      file=$state/ending/b.0123456789abcdef.1.json; printf '{' > $file
      for command in takes status recover deliver; do
        "$recorder" $command > said 2> errors
        grep -c 'cannot read ".*/ending/b.0123456789abcdef.1.json"' errors
      done
      cat $file
      """)
    #expect(outcome.output == "1\n1\n1\n1\n{", "\(outcome)")
  }
}
