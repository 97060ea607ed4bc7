import Foundation
import Support
import Testing

@Suite("A file that is removed during its recording", .timeLimit(.minutes(10)))
struct RemovedFileTests {
  let studio: Studio

  init() throws { studio = try Studio() }

  /// The start of a command to which file modes apply. Root runs it without its capabilities.
  private static let bound =
    geteuid() == 0 ? "setpriv --inh-caps=-all --bounding-set=-all" : ""

  /// Returns the result in the last line of a script's output.
  private func result(_ outcome: Outcome) throws -> [String: Any] {
    try parsed(String(try #require(outcome.output.split(separator: "\n").last, "\(outcome)")))
  }

  @Test(
    "Its take ends immediately and is saved all the same, and 14 says what happened",
    arguments: [
      ("wav", "rm d/.a.wav.part"), ("flac", "rm d/.a.flac.part"), ("raw", "rm d/.a.raw.part"),
      ("wav", "mv other d/.a.wav.part"),
    ])
  func removed(format: String, command: String) throws {
    let outcome = try studio.run(
      """
      echo other > other; start d/a.\(format) > /dev/null; captured 0.3; t=$(date +%s%N); \(command)
      "$recorder" wait --json > result; echo "$?"; echo $((($(date +%s%N) - t) / 1000000))
      "$recorder" wait default
      cat result
      """)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.first == "14", "\(outcome)")
    #expect(try #require(lines.dropFirst().first.flatMap { Int($0) }) < 3_000)
    let result = try result(outcome)
    #expect(outcome.output.contains("  Reason    the file could not be written\n"), "\(outcome)")
    #expect(result["reason"] as? String == "disk")
    #expect((result["message"] as? String)?.contains("another program removed") == true)
    #expect(result["path"] as? String == studio.scratch.path("d/a.\(format)"))
    let numbers = try studio.decoded("d/a.\(format)")
    #expect(numbers.count == (result["frames"] as? [String: Int])?["onDisk"])
    #expect(numbers.count > 9_600 && firstBreak(in: numbers) == nil)
    // The file of the other program was not saved as the recording.
    let left = try studio.run("ls -A d; cat d/.*.part").output
    #expect(left == "a.\(format)\n" || left == ".a.wav.part\na.wav\nother\n", "\(left)")
  }

  @Test("If the take is stopped before it finds out, it is complete, and a note says what happened")
  func stopped() throws {
    let outcome = try studio.run(
      """
      session=$(start --json d/a.wav | number pid); captured 0.3; kill -STOP $session; rm d/.a.wav.part
      kill -TERM $session; kill -CONT $session; "$recorder" wait --json > result; echo "$?"
      "$recorder" wait default; "$recorder" takes; cat result
      """)
    let result = try result(outcome)
    #expect(outcome.output.hasPrefix("0\nSaved "), "\(outcome)")
    #expect(outcome.output.contains("\n  Note ") && outcome.output.contains("/d/a.wav\n{"))
    #expect(result["reason"] as? String == "stopped")
    #expect((result["message"] as? String)?.contains("complete copy") == true)
    let numbers = try studio.decoded("d/a.wav")
    #expect(numbers.count == (result["frames"] as? [String: Int])?["onDisk"])
  }

  @Test("If its directory was removed as well, the take ends with 14 and changes no other file")
  func directory() throws {
    let outcome = try studio.run(
      """
      start d/a.wav > /dev/null; before=$(ls -A); rm -r d; "$recorder" wait --json > .result
      echo "$?"; ls -A | grep a.wav; cat .result
      """)
    let result = try result(outcome)
    #expect(outcome.output.hasPrefix("14\n{"), "\(outcome)")
    let message = result["message"] as? String ?? ""
    #expect(message.contains("another program removed") && message.contains("cannot be saved"))
    let frames = try #require(result["frames"] as? [String: Int])
    #expect(result["path"] == nil && frames["onDisk"] == 0 && frames["lost"] == frames["elapsed"])
  }

  @Test("The part stays in a directory that became read-only, and recover gives it its name")
  func readOnly() throws {
    let outcome = try studio.run(
      """
      mkdir d; \(Self.bound) "$recorder" start -d test:ramp d/a.wav > /dev/null; captured 0.2
      chmod 555 d; "$recorder" stop --json > result; echo "$?"; ls -A d; chmod 755 d
      "$recorder" recover d > /dev/null; echo "$?"; ls -A d; cat result
      """)
    #expect(
      outcome.output.hasPrefix("14\n.a.wav.part\n0\na-recovered.wav\n"), "\(outcome)")
    let result = try result(outcome)
    #expect(result["path"] as? String == studio.scratch.path("d/.a.wav.part"))
    #expect((result["message"] as? String)?.contains("Permission denied") == true)
    let numbers = try studio.decoded("d/a-recovered.wav")
    #expect(numbers.count == (result["frames"] as? [String: Int])?["onDisk"])
    #expect(firstBreak(in: numbers) == nil)
  }

  @Test("A disk that is mounted over its directory gets none of its files", .requiresNamespaces)
  func mountedOver() throws {
    let outcome = try studio.run(
      """
      mkdir d
      unshare -rm sh -c '"$recorder" permission grant > /dev/null
        "$recorder" start -d test:ramp d/a.wav > /dev/null; mount -t tmpfs none d
        eval "$functions"; captured 0.3
        "$recorder" stop > /dev/null; code=$?; ls -A d; umount d; ls -A d; exit $code'
      """)
    #expect(outcome.code == 0 && outcome.output == "a.wav\n", "\(outcome)")
    #expect(try studio.decoded("d/a.wav").count > 9_600)
  }
}
