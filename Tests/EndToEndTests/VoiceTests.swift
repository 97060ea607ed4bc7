import Support
import Testing

@Suite("A take that waits, from the command line", .timeLimit(.minutes(10)))
struct VoiceTests {
  func text(_ name: String, of studio: Studio) throws -> String {
    String(decoding: try studio.scratch.read(name), as: UTF8.self)
  }

  @Test("keeps nothing until it is triggered, and then also the sound before the trigger")
  func armed() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start a.wav --armed --pre-roll 500ms >started && captured 1 && "$recorder" status --json >status
      "$recorder" trigger --json >after && await '[ "$("$recorder" status --json | number onDisk)" -gt 36000 ]'
      "$recorder" trigger >again && "$recorder" stop
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let waiting = try parsed(text("status", of: studio))["recordings"] as? [[String: Any]]
    #expect(waiting?.first?["state"] as? String == "armed")
    #expect(try parsed(text("after", of: studio))["state"] as? String == "recording")
    let samples = try #require(try studio.soundBytes("a.wav"))
    let ramp = Studio.ramp(samples)
    let first = try #require(ramp.first)
    #expect(ramp == (0..<UInt32(ramp.count)).map { first + $0 })
    // The take begins half a second before the trigger, which came a second after the start.
    #expect(first > 12_000)
    #expect(ramp.count > 24_000 + 9_600)
  }

  @Test("keeps its pre-roll if a mark came before the trigger")
  func markedBeforeTrigger() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start a.wav --armed --pre-roll 30s > said; "$recorder" mark here > said
      "$recorder" trigger > said; await '[ "$("$recorder" status --json | number onDisk)" -gt 9600 ]'
      "$recorder" stop --json
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let samples = try #require(try studio.soundBytes("a.wav"))
    let first = try #require(Studio.ramp(samples).first)
    #expect(first == 0)
    let info = try #require((try studio.json("info a.wav")["files"] as? [[String: Any]])?.first)
    let cue = try #require((info["marks"] as? [[String: Any]])?.first)
    #expect(try #require(cue["frame"] as? Int) > 0, "\(info)")
  }

  /// The function `begun` of the scripts prints the time of the beginning in the output of a
  /// command, in nanoseconds.
  private static let begun = """
    begun() { date -d "$("$recorder" $1 --json | sed 's/.*"began":"\\([^"]*\\)".*/\\1/')" +%s%N; }
    """

  @Test("has the time of its first frame, not the time of its start")
  func time() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      \(Self.begun)
      start a.wav --armed --pre-roll 100ms > said; captured 2; now=$(date +%s%N); "$recorder" trigger > said
      await '[ "$("$recorder" status --json | number onDisk)" -gt 9600 ]'
      echo $((($(begun stop) - now) / 1000000)); echo $((($(begun takes) - now) / 1000000))
      """)
    let delays = outcome.output.split(separator: "\n").compactMap { Int($0) }
    #expect(delays.count == 2 && delays.allSatisfy { $0 >= -150 }, "\(outcome)")
  }

  @Test("is recovered after a kill with the time of its first frame")
  func killed() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      \(Self.begun)
      pid=$(start --json a.wav --armed --pre-roll 100ms | number pid); captured 2; "$recorder" trigger > said
      await '[ "$("$recorder" status --json | number onDisk)" -gt 24000 ]'; kill -KILL $pid; ended $pid
      armed=$(begun status); "$recorder" recover > said; echo $((($(begun takes) - armed) / 1000000))
      """)
    let waited = try #require(Int(outcome.output.dropLast()), "\(outcome)")
    #expect(waited >= 1_800, "\(outcome)")
  }

  @Test("leaves no file if nothing was loud enough, and names the threshold")
  func nothing() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" start a.wav --device test:silence --start-on-sound -40dB >started
      "$recorder" stop
      """)
    #expect(outcome.code == 15)
    #expect((outcome.output + outcome.errors).contains("nothing was louder than -40.0 dBFS"))
    #expect(try studio.soundBytes("a.wav") == nil)
  }

  @Test("ends by itself after the given silence")
  func silence() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" start - --device test:silence --rate 16000 --channels 1 --format raw \\
        --stop-on-silence 500ms | wc -c
      """)
    #expect(outcome.output.split(separator: "\n").first == "16000")
  }

  @Test(
    "is refused for what contradicts itself",
    arguments: [
      "--pre-roll 1s", "--threshold -20dB", "--start-on-sound 3dB", "--armed --pre-roll 1h",
      "--start-on-sound -40dB --stop-on-silence 1s --threshold -30dB", "--stop-on-silence 0s",
    ])
  func usage(options: String) throws {
    #expect(try Studio().run("start a.wav \(options)").code == 64)
  }

  @Test("begins immediately with --no-gate")
  func noGate() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      "start a.wav --armed --no-gate >/dev/null; $recorder status --json")
    let recordings = try parsed(outcome.output)["recordings"] as? [[String: Any]]
    #expect(recordings?.first?["state"] as? String == "recording")
  }
}

@Suite(
  "Words heard by a card", .requires("RECORDER_PACED_CARD"), .requires(tool: "espeak-ng"),
  .requires(tool: "sox"), .timeLimit(.minutes(10)))
struct HeardWordsTests {
  @Test("go to stdout, complete and alone, and the recording ends by itself")
  func dictation() throws {
    let scratch = try ScratchDirectory()
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let script = """
      cd '\(scratch.path)' && "$recorder" permission grant
      espeak-ng -w spoken.wav 'seven ships sail south'
      sox spoken.wav -r 48000 -c 2 words.wav norm -12 pad 2 6 && sox spoken.wav -n stat 2>length
      for side in FL FR; do pw-link speaker:monitor_$side microphone:input_$side; done
      aplay -q -D pipewire words.wav & player=$!
      "$recorder" start - --device pipewire --format raw --rate 16000 --channels 1 \
        --start-on-sound -45dB --stop-on-silence 1.5s >heard.raw
      echo "ended with $?"
      kill $player; wait
      """
    // The test uses a card of its own, because the sounds of other tests would be captured as well.
    let outcome = try Tool.run(
      "/\(root)/scripts/with-paced-card", ["sh", "-c", script],
      environment: ["recorder": try Products.recorder], limit: .seconds(60))
    #expect(outcome.outputText.contains("ended with 0"), "\(outcome.errorText)")
    let length = String(decoding: try scratch.read("length"), as: UTF8.self)
    let line = try #require(length.split(separator: "\n").first { $0.hasPrefix("Length") })
    let spoken = try #require(line.split(separator: " ").last.flatMap { Double($0) })
    let heard = Double(try scratch.read("heard.raw").count) / 32_000
    // The 2 s are the pre-roll before the words and the silence after them.
    #expect(abs(heard - spoken - 2) < 0.5, "\(heard) s of \(spoken) s")
  }
}
