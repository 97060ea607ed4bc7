import Foundation
import Support
import Testing

@Suite("A take with a file for each track and a fault", .timeLimit(.minutes(15)))
struct SeparateFaultTests {
  private let studio: Studio
  private static let tracks = SeparateTests.tracks

  init() throws { studio = try Studio() }

  @Test(
    "Full disk: all files are cut to the same number of frames", .requiresNamespaces,
    arguments: [("wav", 768), ("raw", 768), ("caf", 768), ("flac", 64), ("opus", 48)])
  func full(format: String, kibibytes: Int) throws {
    let outcome = try studio.run(
      """
      mkdir disk
      unshare -rm sh -c 'mount -t tmpfs -o size=\(kibibytes)k none disk &&
        "$recorder" permission grant > /dev/null &&
        "$recorder" start -q \(Self.tracks) --min-free 0 disk/a.\(format) > /dev/null &&
        "$recorder" wait --json; code=$?; ls -A disk > left; cp disk/a-* .; exit $code'
      """)
    #expect(outcome.code == 14, "\(outcome)")
    let result = try parsed(outcome.output)
    #expect(result["reason"] as? String == "disk", "\(outcome)")
    let left = try studio.run("grep -v json left").output
    #expect(left == "a-far.\(format)\na-mic.\(format)\n")
    let held = try #require((result["frames"] as? [String: Int])?["onDisk"])
    #expect(held > 24_000, "\(result)")
    let decoded = try studio.decoded(["a-mic.\(format)", "a-far.\(format)"])
    #expect(decoded.map(\.count) == [held, held], "\(format)")
    if format != "opus" { #expect(firstBreak(in: decoded[1]) == nil) }
  }

  @Test(
    "A killed take is recovered as one take, with the same frames in all files",
    arguments: ["wav", "flac", "opus", "raw"])
  func killed(format: String) throws {
    for pause in ["0.02", "0.4", "1.3", "2.6"] {
      let outcome = try studio.run(
        """
        pid=$($recorder start --json --name n a.\(format) \(Self.tracks) | number pid)
        moment \(pause); kill -KILL $pid; ended $pid; "$recorder" recover > recovered; echo $?
        LC_ALL=C ls -A | grep '^\\.*a-'
        """)
      let lines = outcome.output.split(separator: "\n").map(String.init)
      #expect(["0", "10"].contains(lines.first), "\(outcome)")
      if lines.count == 1 { continue }
      let names = ["a-far-recovered.\(format)", "a-mic-recovered.\(format)"]
      #expect(Array(lines.dropFirst()) == names + [names[1] + ".json"], "\(pause): \(outcome)")
      let counts = try studio.decoded(names).map(\.count)
      #expect(counts[0] == counts[1] && counts[0] > 0, "\(format) after \(pause) s: \(counts)")
      try studio.run("rm a-*")
    }
    let listed = try studio.takes()
    #expect(!listed.isEmpty)
    for take in listed {
      let sizes = (take["tracks"] as? [[String: Any]] ?? []).map { $0["bytes"] as? Int }
      #expect(sizes.count == 2 && sizes.allSatisfy { $0 ?? 0 > 0 }, "\(take)")
    }
  }

  @Test(
    "The file of a further track is known during the recording and after a kill, and recovers it",
    arguments: ["a-far.wav", ".a-mic.wav.part-far"])
  func furtherTrack(name: String) throws {
    let live = try studio.run(
      """
      $recorder start --json --name n a.wav \(Self.tracks) | number pid > pid; captured 0.3 n
      for command in export recover; do
        [ $command = export ] && target=b.wav || target=
        "$recorder" $command \(name) $target; echo $?
      done
      "$recorder" info a-far.wav; echo $?; "$recorder" info .a-mic.wav.part-far > said; echo $?
      """)
    #expect(live.output == "11\n11\n11\n0\n", "\(live)")
    let part = studio.scratch.path(".a-mic.wav.part-far")
    #expect(live.errors.contains("\"recorder info \(part)\" shows the audio so far"), "\(live)")
    #expect(live.errors.contains("\".a-mic.wav.part-far\" is being recorded"), "\(live)")
    let dead = try studio.run(
      """
      pid=$(cat pid); kill -KILL $pid; ended $pid; "$recorder" info a-far.wav; echo $?
      "$recorder" recover \(name) > said; echo $?; ls -A | grep '^\\.*a-'
      """)
    #expect(
      dead.output
        == "10\n0\na-far-recovered.wav\na-mic-recovered.wav\na-mic-recovered.wav.json\n",
      "\(dead)")
    #expect(dead.errors.contains("\"a-far.wav\" was not saved: the recording \"n\" was"))
  }

  @Test("A take that is killed at any moment of its end is one take of whole files")
  func killedAtAnyCall() throws {
    let script = """
      take() {
        mkdir -p $1
        { $recorder start -q --name n$1 \(Self.tracks) $1/a.wav; moment 0.4
          "$recorder" split n$1; moment 0.4; "$recorder" stop n$1; } > $1.out 2>&1
      }
      """
    let (killed, last) = try studio.kill(script) { group in
      for number in group { try expectWhole(number) }
    }
    print("killed at \(killed) of \(last) calls")
  }

  /// Expects that a directory has only pairs of files with the same frames, and that each pair is
  /// one line of the list.
  private func expectWhole(_ number: Int) throws {
    let names = try studio.run("LC_ALL=C ls -A \(number)").output.split(separator: "\n")
      .map(String.init)
    #expect(names.allSatisfy { $0.hasPrefix("a-") }, "\(number): \(names)")
    let mics = names.filter { $0.hasPrefix("a-mic") && $0.hasSuffix(".wav") }
    let fars = names.filter { $0.hasPrefix("a-far") && $0.hasSuffix(".wav") }
    #expect(
      mics.map { $0.replacing("a-mic", with: "a-far") }.sorted() == fars.sorted(),
      "\(number): \(names)")
    for (mic, far) in zip(mics.sorted(), fars.sorted()) {
      let counts = try studio.frameCounts(["\(number)/\(mic)", "\(number)/\(far)"])
      #expect(counts[0] == counts[1] && counts[0] > 0, "\(number): \(mic) \(counts)")
    }
    let listed = try studio.takes("/\(number)/").filter { $0["exists"] as? Bool == true }
    #expect(listed.map { trackFiles($0).first ?? "" }.sorted() == mics.sorted(), "\(number)")
    #expect(listed.map { trackFiles($0).last ?? "" }.sorted() == fars.sorted(), "\(number)")
  }
}
