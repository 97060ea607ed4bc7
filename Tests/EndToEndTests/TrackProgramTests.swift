import Support
import Testing

@Suite("The track of a program", .requires("RECORDER_PACED_CARD"), .timeLimit(.minutes(5)))
struct TrackProgramTests {
  private static let start = "start --track mic=default --track far=app:nobody a.wav"

  @Test("that does not play is reported at the start and in the result, and is no failure")
  func idle() throws {
    let lines = try runBesideCard(
      """
      "$recorder" \(Self.start) 2>&1; captured 0.5; "$recorder" status
      "$recorder" stop --json; echo "code $?"
      """)
    let text = lines.joined(separator: " ").split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    let words = "the program \"app:nobody\" is not playing; its track is silent until it plays"
    #expect(text.ranges(of: words).count == 2, "\(lines)")
    let result = try parsed(try #require(lines.first { $0.hasPrefix("{") }))
    #expect(
      result["message"] as? String
        == "the program \"app:nobody\" played nothing, so its track is silent", "\(lines)")
    #expect(try lines.number(after: "code") == 0)
  }

  @Test("that plays has neither message")
  func playing() throws {
    let lines = try runBesideCard(
      """
      sox -n -r 48000 -c 2 -b 16 440.wav synth 60 sine 440 vol 0.25
      cp -L "$(command -v pw-cat)" nobody
      setpriv --pdeathsig KILL ./nobody --playback 440.wav >/dev/null 2>&1 &
      await 'pw-link -o | grep -q nobody:output_FR'
      "$recorder" \(Self.start) 2>&1; captured 1; "$recorder" stop --json; echo "code $?"
      """)
    let result = try parsed(try #require(lines.first { $0.hasPrefix("{") }))
    // On a busy machine, PipeWire may lose a cycle of the other track, which is another message.
    #expect((result["message"] as? String)?.contains("nobody") != true, "\(lines)")
    #expect(!lines.joined().contains("is not playing"), "\(lines)")
  }
}
