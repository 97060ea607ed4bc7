import Foundation
import Support
import Testing

@Suite(
  "A device that comes back", .requires("RECORDER_PACED_CARD"), .timeLimit(.minutes(10)))
struct ReconnectTests {
  /// Runs a script with a card of its own, whose server the script may kill.
  private func run(_ script: String, in studio: Studio) throws -> Outcome {
    let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "scripts").path
    try studio.scratch.write(
      """
      card=\(scripts)/paced-card; cd "$HOME"; "$recorder" permission grant > /dev/null
      eval "$functions"; seen() { await "\\"$recorder\\" status | grep -q '$1'"; }
      \(script)
      """, to: "script")
    return try sh(
      "\(scripts)/with-paced-card timeout 60 sh '\(studio.scratch.path("script"))' 2>&1",
      limit: .seconds(90))
  }

  @Test("A take continues after its server was restarted, with the time between as a gap")
  func goesOn() throws {
    let studio = try Studio()
    let outcome = try run(
      """
      "$recorder" start -d pipewire --reconnect 1m a.wav > /dev/null || exit 1
      captured 1; $card kill; seen 'the device is disconnected'; $card restart
      seen 'frames lost'; captured +1; "$recorder" stop --json; echo "code $?"
      "$recorder" info a.wav | grep -o 'frames lost (.*)'
      """, in: studio)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    let gap = try #require(lines.last)
    #expect(lines.dropLast().last == "code 14", "\(outcome)")
    #expect(gap.contains(/^frames lost \(0:[0-9.]+, disconnected\)$/), "\(outcome)")
    let result = try parsed(try #require(lines.first { $0.hasPrefix("{\"schema\"") }))
    #expect(result["reason"] as? String == "stopped")
    let frames = try #require(result["frames"] as? [String: Int])
    let (captured, lost) = (try #require(frames["captured"]), try #require(frames["lost"]))
    #expect(frames["elapsed"] == captured + lost && frames["onDisk"] == frames["elapsed"])
    #expect(lost > 48_000 && captured > 72_000)
    #expect((result["gaps"] as? [[String: Any]])?.count == 1)
  }

  @Test("A split and a mark while the device is away are answered, and the mark is kept")
  func splitWhileAway() throws {
    let studio = try Studio()
    let outcome = try run(
      """
      "$recorder" start -d pipewire --reconnect 1m a.flac > /dev/null || exit 1
      captured 1; $card kill; seen 'the device is disconnected'
      "$recorder" split > said 2>&1; echo "split $?"; "$recorder" mark here; echo "mark $?"
      "$recorder" stop --json; echo "code $?"; ls -A | grep '^[.]*a'
      """, in: studio)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(
      lines.filter { !$0.hasPrefix("{") } == [
        "split 0", "Marked default; its time is not known yet.",
        "mark 0", "code 14", "a.flac", "a.flac.json",
      ], "\(outcome)")
    let result = try parsed(try #require(lines.first { $0.hasPrefix("{") }))
    let frames = try #require(result["frames"] as? [String: Int])
    #expect(result["marks"] as? Int == 1 && result["total"] == nil, "\(result)")
    let (captured, lost) = (try #require(frames["captured"]), try #require(frames["lost"]))
    #expect(lost > 0 && frames["elapsed"] == captured + lost, "\(result)")
  }

  @Test("A device that does not come back in time ends the take with 14, and the take is saved")
  func staysAway() throws {
    let studio = try Studio()
    let outcome = try run(
      """
      "$recorder" start -d pipewire --reconnect 2s a.wav > /dev/null || exit 1
      captured 0.5; $card kill; "$recorder" wait; echo "code $?"; ls
      """, in: studio)
    #expect(
      outcome.output.contains("Reason    the device failed or was disconnected\n"), "\(outcome)")
    #expect(outcome.output.hasSuffix("code 14\na.wav\na.wav.json\n"), "\(outcome)")
  }

  @Test("A recording to stdout does not wait for its device")
  func stream() throws {
    let studio = try Studio()
    let outcome = try run(
      """
      "$recorder" start -d pipewire - > a.raw & stream=$!
      captured 0.5; $card kill; wait $stream; echo "code $?"
      """, in: studio)
    // The script may run for 60 s, which is not longer than the default wait.
    #expect(outcome.output.hasSuffix("code 14\n"), "\(outcome)")
  }
}
