import Foundation
import Support
import Testing

/// Tests of the shipped programs on real drivers. Every frame that is missing in the file is
/// counted and filled with silence, so that each number is at its position by the clock.
@Suite(
  "A recording from a kernel driver", .requires("RECORDER_KERNEL_CARDS"), .serialized,
  .timeLimit(.minutes(25)))
struct AccountingTests {
  @Test("that was suspended has every frame that its device kept, and counts the lost ones")
  func stops() throws {
    var generator = SeededGenerator(seed: 7)
    // As many short stops as long ones, because different things fail at 0.05, 0.5 and 5 s.
    let longest = isThorough ? 30.0 : 3
    let stops = (0..<(isThorough ? 100 : 10)).map { _ in
      0.05 * pow(longest / 0.05, Double.random(in: 0...1, using: &generator))
    }
    let booth = try Booth()
    let outcome = try booth.run(
      """
      halt() { halted "$pid" "$1"; moment "0.$((RANDOM % 9 + 1))"; }
      feed Loopback
      recorder start --json --device hw:Loopback,1,0 a.raw > start.json; pid=$(number pid < start.json)
      captured 1 default
      halt 0.1; halt 1
      captured +0.5 default; recorder status --json
      halt 3\(isThorough ? "; halt 30" : "")
      for seconds in \(stops.map { "\($0)" }.joined(separator: " ")); do halt "$seconds"; done
      captured +1 default; recorder stop --json
      """, limit: .seconds(1_000))
    let during = try #require(
      outcome.objects.first?["recordings"] as? [[String: Any]], "\(outcome)")
    let before = try #require(during.first { $0["name"] as? String == "default" })
    let short = try #require(before["frames"] as? [String: Int])
    #expect(short["lost"] == 0, "stops of 0.1 s and 1 s")
    let frames = try exact(booth, outcome.objects.last)
    let lost = try #require(frames["lost"])
    let gaps = try #require(outcome.objects.last?["gaps"] as? [Any])
    print("\(stops.count + 3) stops: \(lost) frames lost, \(gaps.count) gaps, each number in place")
    #expect(lost > 48_000 / 2 && frames["filled"] == lost)
  }

  @Test("under load reports every loss, and loses no more than arecord with the same buffer")
  func load() throws {
    let seconds = isThorough ? 60 : 15
    // Late ticks of the kernel cost either program a buffer by chance, so one round proves nothing.
    // A slow reader loses more in six of seven rounds.
    var (more, notMore) = (0, 0)
    for _ in 0..<10 where more < 6 && notMore < 2 {
      guard let lost = try loss(in: seconds) else { continue }
      print("\(seconds) s: recorder lost \(lost.ours) frames, arecord \(lost.theirs)")
      if lost.ours > lost.theirs { more += 1 } else { notMore += 1 }
    }
    #expect(more < 6, "recorder lost more in \(more) of \(more + notMore) rounds")
    try #require(notMore == 2, "this computer is too busy to compare anything")
  }

  /// Returns the losses of both programs in the same time, each from a card of its own. Returns nil
  /// if they cannot be compared.
  private func loss(in seconds: Int) throws -> (ours: Int, theirs: Int)? {
    let booth = try Booth()
    let outcome = try booth.run(
      """
      feed Loopback Loopback2
      stress-ng --cpu 2 --io 2 --quiet & await '[ $(pgrep -c "^stress-ng-") -ge 4 ]'
      recorder start --device hw:Loopback,1,0 --period 2.7ms --buffer 21.5ms \
        --duration \(seconds)s a.raw > start.txt
      size() { awk -v name="$1:" '$1 == name { print $2 }' /proc/asound/Loopback/pcm1c/sub0/hw_params; }
      echo period "$(size period_size)"
      arecord "${sound[@]}" --period-size="$(size period_size)" --buffer-size="$(size buffer_size)" \
        -d \(seconds) -D hw:Loopback2,1,0 b.raw
      recorder wait --json
      recorder stop feeder --json
      """, limit: .seconds(120 + 4 * seconds))
    #expect((1...130).contains(try #require(outcome.numbers("period").first, "\(outcome)")))
    let theirs = try NumberedSound(booth.scratch.path("b.raw"))
    // Late playback shifts all later frames. Frames that the feeder lost are silence that no card
    // lost. arecord sometimes gives up.
    let feeder = try #require(outcome.objects.last?["frames"] as? [String: Int], "\(outcome)")
    let isPlayed = !outcome.errors.contains("underrun") && feeder["lost"] == 0
    guard isPlayed && theirs.frames == seconds * 48_000 else {
      print("nothing to compare: fed \(feeder), arecord \(theirs.frames), \(outcome.errors)")
      return nil
    }
    let frames = try exact(booth, outcome.objects.first)
    return (try #require(frames["lost"]), theirs.missing)
  }

  /// Returns the counts of a result, after checking that they are exact to the frame.
  private func exact(_ booth: Booth, _ result: [String: Any]?) throws -> [String: Int] {
    let frames = try #require(result?["frames"] as? [String: Int])
    let sound = try NumberedSound(booth.scratch.path("a.raw"))
    #expect(sound.shifts.isEmpty, "unreported: \(sound.shifts.prefix(5)); \(result ?? [:])")
    #expect(sound.frames == frames["onDisk"] && sound.silent == frames["filled"], "\(frames)")
    let lost = try #require(frames["lost"])
    // Frames lost after the last frame are counted, but not filled with silence.
    #expect(frames["elapsed"] == sound.frames + lost - sound.silent, "\(frames)")
    #expect(frames["captured"] == sound.frames - sound.silent)
    return frames
  }
}
