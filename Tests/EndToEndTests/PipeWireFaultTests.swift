import Foundation
import Support
import Testing

/// Faults of a private PipeWire server while a recording starts, runs and stops. Each test has its
/// own server, so that other tests are not affected.
@Suite(
  "A sound server that fails", .requires("RECORDER_PACED_CARD"), .timeLimit(.minutes(10)))
struct PipeWireFaultTests {
  /// Functions for scripts. `ticks` prints the processor time of the session in hundredths of a
  /// second. `gone` waits for the end of the session and prints how many milliseconds that took.
  private static let words = """
    now() { date +%s%N; }
    start() { "$recorder" start --device pipewire "$@" a.wav >/dev/null; echo "started $?"; }
    ticks() { awk '{ print $14 + $15 }' "/proc/$session/stat"; }
    gone() { t=$(now); ended "$session"; echo "gone $((($(now) - t) / 1000000))"; }
    """

  private func run(
    _ script: String, beside microphone: NumberedMicrophone? = nil
  ) throws -> [String] {
    try runBesideCard(
      "\(Self.words)\n\(NumberedMicrophone.words)\n\(script)",
      environment: ["numbers": microphone?.program])
  }

  private func number(_ word: String, in lines: [String]) throws -> Int {
    try lines.number(after: word)
  }

  /// Returns the recording of each status, or the result, from the lines that are JSON.
  private func objects(_ lines: [String]) throws -> [[String: Any]] {
    try lines.filter { $0.hasPrefix("{") }.map { line in
      let object = try parsed(line)
      return (object["recordings"] as? [[String: Any]])?.first ?? object
    }
  }

  /// A fault of the server during a recording, for a certain time.
  struct Fault: CustomTestStringConvertible {
    var testDescription: String
    var options = ""
    var script: String
    /// The duration in seconds.
    var length: Int
    var causes = ["stalled"]

    static func frozen(for length: Int, _ options: String = "") -> Fault {
      Fault(
        testDescription: "frozen for \(length) s", options: options,
        script: "card freeze; sleep \(length); card thaw", length: length)
    }

    static let all = [
      frozen(for: 2, "--reconnect 0"), frozen(for: 5),
      // The plugin of PipeWire 1.4 connects again by itself if the server is back in time.
      Fault(
        testDescription: "killed, and started 2 s later",
        script: "card kill; sleep 2; card restart; numbers", length: 3,
        causes: ["disconnected", "overrun"]),
      Fault(
        testDescription: "restarted", script: "card restart; numbers", length: 2,
        causes: ["disconnected", "overrun"]),
    ]

    /// The faults to test. A long run also freezes the server for 20 s.
    static var some: [Fault] {
      isThorough ? all + [frozen(for: 20)] : all
    }
  }

  @Test(
    "The take continues, counts the loss to within a period, and uses little processor time",
    .requires(package: "libpipewire-0.3"), arguments: Fault.some)
  func loss(fault: Fault) throws {
    let microphone = try NumberedMicrophone()
    let lines = try run(
      """
      numbers; start \(fault.options); session=$(pid); captured 1; b=$(ticks); \(fault.script)
      echo "ticks $(($(ticks) - b))"
      await '"$recorder" status | grep -q "frames lost"'
      # Frames that the server claims to have count as lost when they have been missing for a second.
      captured +3; "$recorder" stop --json; echo "code $?"
      sox a.wav -n stat 2>/dev/null; echo "sox $?"; mv a.wav '\(microphone.take)'; kill "$source" || true
      """, beside: microphone)
    let result = try #require(try objects(lines).last)
    let frames = try #require(result["frames"] as? [String: Int])
    let error = try microphone.error()
    print("\(fault.testDescription): off by \(error) frames, \(frames["lost"] ?? -1) lost")
    let gaps = try #require(result["gaps"] as? [[String: Any]])
    #expect(abs(error) <= 4_800, "\(gaps)")
    #expect(result["reason"] as? String == "stopped" && frames["lost"] ?? 0 > 0)
    let cause = try #require(gaps.first?["cause"] as? String)
    #expect(fault.causes.contains(cause), "\(gaps)")
    #expect(try number("code", in: lines) == 14 && number("sox", in: lines) == 0)
    #expect(try number("ticks", in: lines) < 5 * fault.length)
  }

  @Test("A long freeze ends the take within 5 s, and the take is kept")
  func frozenForLong() throws {
    let ended = try run(
      """
      start --reconnect 0; session=$(pid); captured 0.5; card freeze; gone; card thaw; "$recorder" wait --json
      echo "code $?"; sox a.wav -n stat 2>/dev/null; echo "sox $?"
      """)
    #expect(try number("code", in: ended) == 14 && number("sox", in: ended) == 0)
    #expect(try number("gone", in: ended) < 5_000)
  }

  @Test("A kill of the server ends the take within 5 s, and the take is kept")
  func killed() throws {
    let ended = try run(
      """
      start --reconnect 0; session=$(pid); captured 0.5; card kill; gone; "$recorder" wait --json; echo "code $?"
      sox a.wav -n stat 2>/dev/null; echo "sox $?"; start --force; find . -name '*.part*'
      """)
    #expect(try number("gone", in: ended) < 5_000)
    #expect(try number("code", in: ended) == 14 && number("sox", in: ended) == 0)
    #expect(try number("started", in: ended) == 12 && !ended.contains { $0.contains(".part") })
  }

  @Test("The duration also ends a take whose device is missing")
  func duration() throws {
    let ended = try run(
      """
      start --duration 4s; session=$(pid); captured 0.5; card kill; gone
      "$recorder" wait --json; echo "code $?"; sox a.wav -n stat 2>/dev/null; echo "sox $?"
      "$recorder" status
      """)
    let result = try #require(try objects(ended).last)
    #expect(result["reason"] as? String == "duration", "\(ended)")
    let lost = try #require((result["frames"] as? [String: Int])?["lost"])
    #expect(lost > 48_000 && lost < 8 * 48_000, "\(ended)")
    #expect(try number("code", in: ended) == 14 && number("sox", in: ended) == 0)
    #expect(ended.contains { $0.contains("--duration was reached") }, "\(ended)")
  }

  @Test(
    "Frozen, it can be stopped",
    arguments: [
      ("--reconnect 0", "0"), ("--reconnect 0", "1"), ("", "0"), ("", "1"), ("", "5"),
    ])
  func stoppedWhileFrozen(options: String, delay: String) throws {
    let lines = try run(
      """
      start \(options); session=$(pid); captured 0.5; card freeze; moment \(delay); kill -TERM "$session"
      gone; "$recorder" wait >/dev/null; echo "code $?"; sox a.wav -n stat 2>/dev/null
      echo "sox $?"; card thaw
      """)
    // With PipeWire 1.4, an attempt to open the device again does not return before the thaw.
    #expect(try number("gone", in: lines) < 3_000, "after \(delay) s: \(lines)")
    #expect(try [0, 14].contains(number("code", in: lines)) && number("sox", in: lines) == 0)
    print("TERM while frozen for \(delay) s \(options): \(lines.filter { $0.hasPrefix("gone") })")
  }

  @Test("While the server is frozen, a start fails, says so and leaves no file")
  func startedWhileFrozen() throws {
    let lines = try run(
      """
      card freeze; t=$(now); start 2>&1; echo "took $((($(now) - t) / 1000000))"; card thaw; ls -A
      """)
    // PipeWire 0.3's plugin gives up after 4 s, a later one does not.
    #expect(try number("started", in: lines) == 12 && number("took", in: lines) < 11_000)
    let messages = ["cannot record from \"pipewire\"", "\"pipewire\" did not answer"]
    #expect(
      lines.contains { line in messages.contains { line.hasPrefix("recorder: \($0)") } },
      "\(lines)")
    #expect(!lines.contains { $0.contains("a.wav") })
  }

  @Test("A node can be recorded by its name, and a missing node is refused")
  func nodes() throws {
    let lines = try run(
      """
      pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=second
        media.class=Audio/Source/Virtual object.linger=true audio.position=[FL FR]
        node.description="A second one" }' >/dev/null
      await '"$recorder" devices capture | grep -q second'
      "$recorder" devices
      "$recorder" start -d pipewire:NODE=secnd a.wav 2>&1; echo "refused $?"
      "$recorder" start -d pipewire:NODE=second a.wav; echo "started $?"
      await 'pw-link -l | grep -A 1 "^second:" | grep -qi alsa'; echo linked
      pw-link -l | grep -A 1 '^microphone:' | grep -ci alsa
      "$recorder" stop
      """)
    #expect(lines.contains("  pipewire:NODE=second") && lines.contains("      A second one"))
    #expect(lines.contains("      microphone (PipeWire's default)"))
    #expect(
      lines.contains("recorder: PipeWire has no capture node \"secnd\"; it has \"second\""))
    #expect(try number("refused", in: lines) == 12 && number("started", in: lines) == 0)
    #expect(lines.contains("linked") && lines.contains("0"))
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test("A take has at most the channels of its microphone")
  func channels() throws {
    let lines = try run(
      """
      pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=single
        media.class=Audio/Source/Virtual object.linger=true audio.position=[MONO] }' >/dev/null
      await '"$recorder" devices capture | grep -q single'
      "$recorder" start -d pipewire:NODE=single mono.wav >/dev/null; captured 0.2
      "$recorder" stop >/dev/null; soxi -c mono.wav
      "$recorder" start -d default --select 3 third.wav 2>&1; echo "refused $?"; ls
      """)
    #expect(lines.contains("1"), "\(lines)")
    #expect(
      lines.contains("recorder: \"default\" has no channel 3: it has 2 channels"), "\(lines)")
    #expect(try number("refused", in: lines) == 12)
    #expect(!lines.contains("third.wav"))
  }

  @Test("doctor reports muted nodes, and a server that does not answer")
  func doctor() throws {
    let lines = try run(
      """
      # PipeWire 1.4 mutes only nodes that run.
      "$recorder" start --meeting a.wav >/dev/null
      wpctl set-mute @DEFAULT_AUDIO_SOURCE@ 1; wpctl set-volume @DEFAULT_AUDIO_SINK@ 0
      "$recorder" stop >/dev/null
      "$recorder" doctor; echo "code $?"; card freeze; "$recorder" doctor; echo "frozen $?"
      card thaw
      """)
    #expect(lines.contains("warning  Mixer in      PipeWire: \"microphone\" is muted"))
    #expect(lines.contains("warning  Mixer out     PipeWire: \"speaker\" is at 0 %"))
    #expect(lines.contains("ok       PipeWire      answers, with 1 microphone and 1 speaker"))
    #expect(lines.contains("problem  PipeWire      PipeWire did not answer within 2 s"))
    #expect(try number("code", in: lines) == 0 && number("frozen", in: lines) == 12)
    // A path is one word, so its line may be longer.
    #expect(lines.allSatisfy { $0.count <= 80 || $0.contains("/") })
  }

  @Test("Completion offers its microphones for recording, and its speakers for playing")
  func completion() throws {
    let lines = try run(
      """
      "$recorder" complete -- start --device pipewire:; echo then
      "$recorder" complete -- play --device pipewire:
      """)
    let names = lines.split(separator: "then").map { lines in
      lines.filter { $0.hasPrefix("pipewire:") }.map { $0.split(separator: "\t")[0] }
    }
    #expect(names == [["pipewire:NODE=microphone"], ["pipewire:NODE=speaker"]], "\(lines)")
  }

  @Test("A microphone without an ALSA plugin is not suggested again")
  func noPlugin() throws {
    let lines = try run(
      """
      echo 'pcm.null { type null }' > none.conf
      ALSA_CONFIG_PATH=$PWD/none.conf "$recorder" start -d pipewire:NODE=microphone a.wav 2>&1
      echo "code $?"
      """)
    #expect(lines.contains { $0.contains("install pipewire-alsa") }, "\(lines)")
    #expect(lines.last == "code 12" && !lines.contains { $0.contains("did you mean") }, "\(lines)")
  }
}
