import Foundation
import Support
import Testing

@Suite("Many simultaneous plays", .timeLimit(.minutes(10)))
struct ManyPlaysTests {
  /// Returns the sum of the left channel of a tape in 16-bit steps, which floats hold exactly.
  private func sum(of tape: [Float]) -> Int { tape.reduce(0) { $0 + Int($1.rounded()) } }

  /// Returns the memory of a process in kilobytes.
  private func memory(of process: Int) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS") } ?? ""
    return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
  }

  /// Returns the number of descriptors that a process has open.
  private func descriptors(of process: Int) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
  }

  /// Returns how long each thread that processes sound was ready to run but had no processor.
  private func waits(of process: Int) throws -> [String: Duration] {
    let tasks = "/proc/\(process)/task"
    var waits: [String: Duration] = [:]
    // The first thread and the threads that open a device do not process sound.
    for task in try FileManager.default.contentsOfDirectory(atPath: tasks)
    where task != "\(process)" {
      let name = try String(contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8)
      guard name != "opening\n" else { continue }
      let text = try String(contentsOfFile: "\(tasks)/\(task)/schedstat", encoding: .utf8)
      waits[task] = .nanoseconds(try #require(Int(text.split(separator: " ")[1])))
    }
    return waits
  }

  @Test(
    "20 parallel scripts play each sound exactly once, and the player stays small")
  func storm() throws {
    let rounds = isThorough ? 200 : 15
    let theatre = try Theatre()
    try theatre.useTape()
    var heard = 0
    for script in 0..<20 {
      // The sounds are short and soft, so that no sum of them clips.
      let samples = try theatre.ramp("s\(script).wav", frames: 100 + script * 7)
      heard += samples.reduce(0) { $0 + Int($1) } * rounds
    }
    let tape = "export ALSA_CONFIG_PATH=\"$HOME/asound.conf\" device=tape\n"
    try theatre.run(tape + "play ./s0.wav --volume 0")
    let player = try #require(theatre.studio.processes().first)
    let (before, opened) = (try memory(of: player), try descriptors(of: player))
    let outcome = try theatre.run(
      tape + """
        n=0; while [ $n -lt 20 ]; do
          ( r=0; while [ $r -lt \(rounds) ]; do
              play ./s$n.wav --if-playing overlap || echo "failed $?"; r=$((r + 1))
            done ) & n=$((n + 1))
        done; wait; taped; await '! pgrep -P \(player)'
        """, limit: .seconds(580))
    #expect(outcome.code == 0 && outcome.output == "" && outcome.errors == "", "\(outcome)")
    let after = try memory(of: player)
    print("\(20 * rounds) plays, the player has \(before) kB before and \(after) kB after")
    #expect(after - before < 8_192)
    #expect(try descriptors(of: player) <= opened)
    #expect(theatre.studio.processes() == [player])
    theatre.endPlayer()
    #expect(sum(of: try theatre.tape("tape.raw")) == heard)
  }

  @Test(
    "40 different simultaneous sounds add up, and no frame is lost on the way",
    .requires("RECORDER_PACED_CARD"))
  func soft() throws { try playForty(volume: 0.015625) }

  @Test(
    "40 loud simultaneous sounds stop at full scale, and nothing wraps",
    .requires("RECORDER_PACED_CARD"))
  func loud() throws { try playForty(volume: 1) }

  // These are two tests, because a cancelled argument of one test would count as passed.
  private func playForty(volume: Double) throws {
    // While other tests run, the machine may be late. Even an idle machine keeps a thread waiting
    // for 0.1 s in all. A fault of the player itself shows in each run.
    var ownFaults = 0
    for _ in 0..<6 {
      let (underruns, wait, areTogether) = try heard(volume)
      if underruns == 0 && areTogether { return }
      print("40 sounds: \(underruns) underruns, \(wait) without a processor")
      ownFaults += wait < .milliseconds(200) ? 1 : 0
      try #require(ownFaults < 3, "the player was late, and the machine was not")
    }
    try Test.cancel("the machine was late in most of 6 runs, and is too busy to judge")
  }

  /// Plays 40 sounds and checks the result. Returns the number of underruns, the longest total time
  /// that a thread of the player or the server waited for a processor, and whether the first sound
  /// still played when the last one began.
  private func heard(_ volume: Double) throws -> (Int, wait: Duration, areTogether: Bool) {
    let theatre = try Theatre()
    try theatre.useTape(over: "pipewire")
    let card = try #require(ProcessInfo.processInfo.environment["RECORDER_PACED_CARD_SESSION"])
    let number = try String(contentsOfFile: "\(card)/pipewire.pid", encoding: .utf8)
    let server = try #require(Int(number.trimmingCharacters(in: .newlines)))
    var expected = 0
    for sound in 0..<40 {
      let samples = try theatre.ramp("s\(sound).wav", frames: 48_000 + sound, from: 1)
      // At a volume of 1/64 the sum of 40 sounds stays below full scale, and floats hold it
      // exactly.
      expected += 8 * samples.reduce(0) { $0 + Int($1) }
    }
    let before = try waits(of: server)
    let outcome = try theatre.run(
      """
      export ALSA_CONFIG_PATH="$HOME/asound.conf" device=tape PIPEWIRE_RUNTIME_DIR=\(card)/runtime
      for n in $(seq 0 38); do play ./s$n.wav --times 8 --volume \(volume) --detach; done
      sound status --json | grep -o '"playing"' | wc -l
      play ./s39.wav --times 8 --volume \(volume); taped; sound status --json
      """)
    #expect(outcome.code == 0 && outcome.errors == "", "\(outcome)")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    let devices = try parsed(lines.last ?? "")["outputs"] as? [[String: Any]]
    let player = try #require(theatre.studio.processes().first)
    let serverWaits = try waits(of: server).map { $1 - (before[$0] ?? .zero) }
    let wait = try #require((serverWaits + waits(of: player).values).max())
    theatre.endPlayer()
    let tape = try theatre.tape("tape.raw")
    #expect(tape.allSatisfy { $0 >= 0 && $0 <= 32_768 })
    let underruns = try #require(devices?.first?["underruns"] as? Int)
    let total = tape.reduce(0.0) { $0 + Double($1) }
    if underruns == 0 {
      #expect(volume == 1 ? tape.max() == 32_768 : abs(total / volume - Double(expected)) < 0.5)
    }
    return (underruns, wait, lines.first == "39")
  }
}

@Suite("A lost playback device", .requires("RECORDER_PACED_CARD"), .timeLimit(.minutes(10)))
struct LostDeviceTests {
  private func card(_ command: String) -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    return "\(root)/scripts/paced-card \(command)"
  }

  /// A script that ends the player of the card's session at its exit.
  private static let leave = """
    eval "$functions"
    leave() {
      for file in $(grep -lz "^XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" /proc/[0-9]*/environ 2> /dev/null)
      do
        process=${file%/environ}
        case $(readlink "$process/exe") in */recorder) kill "${process#/proc/}" ;; esac
      done
    }
    trap leave EXIT

    """

  /// Runs a script with a card of its own, whose server the script may end.
  private func run(_ script: String) throws -> Outcome {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    return try sh(
      "exec \(root)/scripts/with-paced-card sh -c \"$script\"",
      environment: ["script": Self.leave + script])
  }

  @Test("A sound continues at its position after a restart of the sound server")
  func restarted() throws {
    let outcome = try run(
      """
      "$recorder" play umbrella & play=$!
      await '"$recorder" sound status | grep -q "playing *0:01"'
      \(card("restart")) > /dev/null
      await '"$recorder" sound status | grep -q "playing *0:02"'
      "$recorder" sound seek umbrella 11s > /dev/null
      wait $play; echo "play $?"
      """)
    #expect(outcome.output.hasSuffix("play 0\n"), "\(outcome)")
  }

  @Test("If the server does not come back, the play ends after 10 s with 12 and the reason")
  func gone() throws {
    let outcome = try run(
      """
      "$recorder" play umbrella --loop & play=$!
      await '"$recorder" sound status | grep -q playing'
      began=$(date +%s); \(card("kill"))
      wait $play; echo "play $? after $(($(date +%s) - began))"
      """)
    let line = try #require(outcome.output.split(separator: "\n").last, "\(outcome)")
    let after = try #require(line.split(separator: " ").last.flatMap { Int($0) })
    #expect(line.hasPrefix("play 12 after "), "\(outcome)")
    // `date` cuts off up to one second. The rest of the tolerance is for a busy machine.
    #expect((10...14).contains(after), "\(outcome)")
    #expect(outcome.errors.contains("was disconnected and did not return in time"))
  }

  @Test("A short sound on a frozen server ends with 12, and plays again after a thaw")
  func shortAndFrozen() throws {
    let outcome = try run(
      """
      "$recorder" play click; echo "before $?"
      \(card("freeze"))
      "$recorder" play click; echo "frozen $?"
      "$recorder" play click & play=$!
      await '"$recorder" sound status --json | grep -q playing'
      # The play waits for a while.
      sleep 1
      \(card("thaw"))
      wait $play; echo "thawed $?"
      """)
    #expect(outcome.output == "before 0\nfrozen 12\nthawed 0\n", "\(outcome)")
    #expect(outcome.errors.contains("has accepted no audio for 10 s"), "\(outcome)")
  }

  @Test(
    "A device that never answers keeps no other from being opened",
    arguments: ["frozen", "default"])
  func frozen(device: String) throws {
    let outcome = try run(
      """
      mkfifo "$HOME/pipe"
      # What opens a pipe waits for its reader.
      echo "pcm.frozen { type file slave.pcm null file $HOME/pipe format raw }" \
        >> "$ALSA_CONFIG_PATH"
      \(card("freeze"))
      "$recorder" play umbrella --device \(device) & frozen=$!
      await '[ -S "$XDG_RUNTIME_DIR"/recorder/*/_player.sock ]'
      began=$(date +%s)
      "$recorder" play click --device null; echo "null $?"
      PULSE_SERVER=elsewhere "$recorder" play click --device test:null; echo "test $?"
      [ $(($(date +%s) - began)) -lt 8 ] && echo soon
      wait $frozen; echo "frozen $?"
      \(card("thaw"))
      "$recorder" play click; echo "thawed $?"
      """)
    #expect(outcome.output == "null 0\ntest 0\nsoon\nfrozen 12\nthawed 0\n", "\(outcome)")
    #expect(outcome.errors.contains("10 s"))
  }
}
