import Foundation
import Support
import Testing

@Suite("A file that is renamed before its delivery", .timeLimit(.minutes(10)))
struct RenamedDeliveryTests {
  private let studio: Studio
  private let delivery: Delivery

  init() throws {
    delivery = try Delivery()
    studio = delivery.studio
    try studio.run("touch down")
  }

  /// Runs a script. In it, `one` records a short file, which waits until `down` is removed.
  private func run(_ script: String) throws -> Outcome {
    let one = #"""
      one() { start --duration 0.2 --on-segment ./deliver --deliver --foreground "$@" > /dev/null; alone; }

      """#
    return try delivery.run(one + script)
  }

  /// Returns the files that `deliver --list` has printed as JSON on the first line.
  private func listed(_ outcome: Outcome) throws -> [String]? {
    let line = outcome.output.split(separator: "\n").first.map(String.init) ?? ""
    let series = try #require(try parsed(line)["deliveries"] as? [[String: Any]])
    return series.first?["files"] as? [String]
  }

  @Test("is delivered with the path of its sidecar, or with none if the sidecar was deleted")
  func sidecar() throws {
    let outcome = try run(
      #"""
      cat > deliver <<'END'
      #!/bin/sh
      [ -e down ] && exit 3
      echo "${RECORDER_TAKE_PATH##*/} ${RECORDER_TAKE_SIDECAR##*/}" >> heard
      [ -z "${RECORDER_TAKE_SIDECAR:-}" ] || [ -e "$RECORDER_TAKE_SIDECAR" ]
      END
      one --sidecar always a.wav; one --sidecar always b.wav
      "$recorder" rename a.wav y -q > /dev/null; rm b.wav.json down
      "$recorder" deliver > /dev/null; echo $?; sort heard
      """#)
    #expect(outcome.output == "0\nb.wav \ny.wav y.wav.json\n", "\(outcome)")
  }

  @Test("is listed and removed from the queue by its new name")
  func forgotten() throws {
    let outcome = try run(
      """
      one a.wav; "$recorder" rename a.wav b -q > /dev/null
      "$recorder" deliver --list --json; "$recorder" deliver --forget a.wav; echo $?
      "$recorder" deliver --forget b.wav > /dev/null; echo $?; rm down
      "$recorder" deliver; ls store
      """)
    #expect(try listed(outcome) == [studio.scratch.path("b.wav")], "\(outcome)")
    #expect(
      outcome.output.hasSuffix("\n10\n0\nNo files are waiting for delivery.\n"), "\(outcome)")
  }

  @Test("causes a warning with its new name if it is moved to the trash")
  func trashed() throws {
    let outcome = try run(
      """
      one a.wav; "$recorder" rename a.wav b -q > /dev/null; "$recorder" trash b.wav > /dev/null
      """)
    let path = studio.scratch.path("b.wav")
    #expect(outcome.errors.contains(#""\#(path)" was not delivered yet"#), "\(outcome)")
  }

  @Test("leaves its name to a later file, which --forget then means")
  func reused() throws {
    let outcome = try run(
      """
      one a.wav; "$recorder" trash a.wav -q > /dev/null 2>&1; one a.wav
      "$recorder" deliver --forget a.wav > /dev/null; echo $?; rm down
      "$recorder" deliver > /dev/null; echo $?; ls store
      """)
    #expect(outcome.output == "0\n18\n", "\(outcome)")
  }
}
