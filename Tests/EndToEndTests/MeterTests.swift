import Foundation
import Support
import Testing

@Suite("A meter", .timeLimit(.minutes(10)))
struct MeterTests {
  @Test("Prints the level of the tone in lines, and as JSON ten times a second")
  func lines() throws {
    let studio = try Studio()
    let text = try studio.run("$recorder meter -d test:tone --duration 1300ms; ls -A")
    #expect(text.code == 0 && text.errors == "")
    #expect(text.output.contains("  peak -20.0 dBFS, mean -23.0 dBFS, highest -20.0 dBFS\n"))
    #expect(!text.output.contains("wav"))
    // A meter that has no processor for longer than a period may have no level for a moment. It may
    // lose as many frames as it waited for, but no more.
    let json = try studio.run(
      """
      "$recorder" meter -d test:tone --json > lines & meter=$!
      await '[ $(wc -l < lines) -ge 10 ]'; waited $meter; kill -INT $meter; wait $meter || exit; cat lines
      """)
    let lines = json.output.split(separator: "\n").map(String.init)
    let wait = try #require(lines.first.flatMap { Int($0) }, "\(json)")
    let readings = try lines.dropFirst().prefix(10).map { try parsed($0) }
    let tenth = try #require(readings.last?["elapsed"] as? Double)
    #expect(json.code == 0 && readings.count == 10 && (0.95..<3.5).contains(tenth))
    let peaks = readings.compactMap { $0["peak"] as? Double }
    #expect(!peaks.isEmpty && peaks.allSatisfy { $0 == -20 })
    #expect(peaks.count == 10 || wait > 20_000_000, "\(json)")
    #expect(readings.allSatisfy { $0["lost"] as? Int ?? .max <= wait * 48 / 1_000_000 })
    #expect(readings.allSatisfy { ($0["channels"] as? [Any])?.count == 2 })
  }

  @Test(
    "Prints all of its measurements if the output is not a terminal",
    arguments: [("500ms", 1), ("1s", 1), ("2s", 2), ("2500ms", 3)])
  func wholeLines(duration: String, lines: Int) throws {
    let outcome = try Studio().run("$recorder meter -d test:tone --duration \(duration) | cat")
    // There is a line for each second, and one at the end for a remainder of at least 0.1 s. If a
    // second is late, there may be one more line.
    let told = outcome.output.split(separator: "\n").count
    #expect((lines...(lines + 1)).contains(told), "\(outcome)")
  }

  @Test("Needs the permission, and ends when it is revoked")
  func permission() throws {
    let studio = try Studio(granting: false)
    #expect(try studio.run("$recorder meter -d test:tone --no-prompt --duration 1s").code == 20)
    let outcome = try studio.run(
      """
      "$recorder" permission grant >/dev/null; "$recorder" meter -d test:tone & meter=$!
      await '"$recorder" permission status --json | grep -q meter'
      "$recorder" permission revoke >/dev/null; wait $meter; echo "code $?"
      """)
    #expect(outcome.output.hasSuffix("code 21\n"), "\(outcome)")
    #expect(outcome.errors.contains("microphone access denied"))
  }

  @Test("Suggests thresholds with the measurements behind them")
  func calibration() throws {
    let studio = try Studio()
    let found = try studio.json("meter -d test:tone --calibrate --duration 500ms")
    #expect(found["startOnSound"] as? Double == -17 && found["threshold"] as? Double == -21)
    #expect(found["windows"] as? Int == 50 && found["silent"] as? Bool == false)
    let text = try studio.run("$recorder meter -d test:silence --calibrate --duration 300ms")
    #expect(text.code == 0 && text.output.contains("no threshold can be"))
    #expect(!text.output.contains("--start-on-sound"), "\(text)")
    let none = try studio.json("meter -d test:silence --calibrate --duration 300ms")
    #expect(none["threshold"] is NSNull && none["startOnSound"] is NSNull, "\(none)")
  }

  @Test(
    "Ends with 0 if its reader leaves, or at a signal",
    arguments: [
      "| head -n 1", "> out & await [ -s out ]; kill -INT $! && wait $! && cat out",
    ])
  func ends(how: String) throws {
    let studio = try Studio()
    let outcome = try studio.run("$recorder meter -d test:tone --json \(how)")
    #expect(outcome.code == 0 && outcome.output.contains("\"peak\":-20"))
  }

  @Test(
    "On a terminal each channel has a bar that is redrawn in place, and the terminal is given back",
    .requires(tool: "setsid"))
  func terminal() throws {
    for key in ["q", "\u{3}"] {
      let studio = try Studio()
      let terminal = try PseudoTerminal()
      let before = TerminalState(of: terminal.terminal)
      let child = try terminal.start(
        Products.recorder, ["meter", "-d", "test:tone"],
        environment: ["TERM": "xterm", "NO_COLOR": "1"].merging(studio.environment) { $1 })
      let shown = try terminal.read(until: "2 [####")
      #expect(shown.contains("1 [####") && shown.contains("\u{1B}[K"))
      try terminal.type(key)
      #expect(try child.wait() == .exited(0))
      #expect(TerminalState(of: terminal.terminal) == before)
    }
  }

  @Test("Digital silence for 3 s from the start causes a warning, a tone does not")
  func silence() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" start -d test:silence a.wav >/dev/null; "$recorder" start -n b -d test:tone b.wav >/dev/null
      await '"$recorder" status | grep -q "digital silence"'; captured 3.5 b; "$recorder" status; "$recorder" stop a 2>/dev/null; "$recorder" stop --all >/dev/null
      "$recorder" start --foreground -d test:silence --duration 3500ms c.wav >/dev/null
      """)
    let warnings = outcome.output.components(separatedBy: "digital silence").count - 1
    #expect(warnings == 1, "\(outcome)")
    #expect(outcome.errors.contains("recorder: warning: only digital silence so far"))
  }
}
