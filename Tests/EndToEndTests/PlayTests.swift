import Foundation
import Support
import Testing

@Suite("Playing a sound", .timeLimit(.minutes(10)))
struct PlayTests {
  @Test("A play lasts until the end of the sound, and reports when it began")
  func plays() throws {
    let theatre = try Theatre()
    let outcome = try theatre.run("play click --json")
    #expect(outcome.code == 0 && outcome.errors == "")
    let result = try parsed(outcome.output)
    let sounds = try #require(result["sounds"] as? [[String: Any]])
    #expect(sounds.count == 1 && sounds[0]["reason"] as? String == "ended")
    #expect(sounds[0]["started"] as? Double ?? 0 > 0)
    #expect(result["started"] as? Double == sounds[0]["started"] as? Double)
    #expect(try theatre.status()["click"]?["state"] as? String == "ended")
  }

  @Test(
    "An impossible request is refused with its exit code",
    arguments: [
      ("play dnoe", 10, "did you mean \"done\"?"), ("play ./nothing.wav", 10, "nothing.wav"),
      ("play ./text", 16, "it is a text file, not a sound"), ("play /", 16, "it is a directory"),
      ("play click -d nosuch", 12, "nosuch"), ("sound resume dnoe", 10, "done"),
      ("sound seek click x", 64, "duration"), ("play click -v 2", 64, "1.0"),
      ("play click --rate 8000", 64, "--rate"),
    ])
  func refusals(line: String, code: Int32, words: String) throws {
    let theatre = try Theatre()
    try theatre.scratch.write("only text\n", to: "text")
    let script = line.replacingOccurrences(of: "play click -d", with: "\"$recorder\" play click -d")
    let outcome = try theatre.run(script)
    #expect(outcome.code == code && outcome.errors.contains(words), "\(outcome)")
    #expect(outcome.output == "")
    #expect(outcome.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("recorder: ") })
  }

  @Test("A waiting play that another command stops exits with 17")
  func stopped() throws {
    let theatre = try Theatre()
    let outcome = try theatre.run(
      """
      play umbrella & first=$!
      await 'sound status | grep -q playing'
      sound stop umbrella; echo "stop $?"
      wait $first; echo "play $?"
      sound stop umbrella > /dev/null; echo "again $?"
      """)
    #expect(outcome.output.contains("stop 0\n") && outcome.output.contains("again 0\n"))
    #expect(outcome.output.contains("play 17\n"), "\(outcome)")
    #expect(outcome.errors.contains("stopped by another command"))
    let position = try theatre.status()["umbrella"]?["position"] as? Double ?? 0
    #expect(position > 0 && position < 12)
  }

  @Test(
    "What becomes of a sound that plays already is chosen",
    arguments: [
      // For each policy, another condition shows that the player has handled the second play.
      ("restart", "wait $first; a=$?", "17 0", 1, 0),
      ("ignore", "wait $second; b=$?", "0 0", 1, 0),
      ("overlap", "until_it_has voices 2", "0 0", 2, 0),
      ("queue", "until_it_has queued 1", "0 0", 1, 1),
    ])
  func ifPlaying(
    policy: String, settled: String, codes: String, voices: Int, queued: Int
  ) throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 72_000)
    let outcome = try theatre.run(
      """
      until_it_has() { await "sound status --json | grep -q '\\"$1\\":$2'"; }
      play ./a.wav & first=$!
      await 'sound status | grep -q playing'
      play ./a.wav --if-playing \(policy) & second=$!
      \(settled)
      sound status --json > seen
      wait $first; a=${a-$?}; wait $second; b=${b-$?}; echo "codes $a $b"
      """)
    #expect(outcome.output.contains("codes \(codes)\n"), "\(outcome)")
    let seen = try parsed(String(decoding: try theatre.scratch.read("seen"), as: UTF8.self))
    let sounds = seen["sounds"] as? [[String: Any]]
    #expect(sounds?.first?["voices"] as? Int == voices)
    #expect(sounds?.first?["queued"] as? Int == queued)
  }

  @Test("Two pipes are two sounds, and neither ends the other")
  func pipes() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 96_000)
    let outcome = try theatre.run(
      """
      cat a.wav | play - & first=$!
      await 'sound status | grep -q playing'
      cat a.wav | play -; echo "second $?"
      wait $first; echo "first $?"
      """)
    #expect(outcome.output == "second 0\nfirst 0\n", "\(outcome)")
  }

  @Test("A play returns at the end of its sound, and the next sound of a sequence begins then")
  func heardToTheEnd() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 24_000)
    let outcome = try theatre.run("play ./a.wav ./a.wav --json; cut -d ' ' -f 1 /proc/uptime")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    let said = try parsed(try #require(lines.first))
    let sounds = try #require(said["sounds"] as? [[String: Any]])
    let began = sounds.compactMap { $0["started"] as? Double }
    let ended = try #require(lines.last.flatMap(Double.init))
    #expect(began.count == 2 && began[1] - began[0] >= 0.5, "\(began)")
    #expect(ended - began[1] >= 0.49, "\(ended - began[1])")
  }

  @Test("A sound stops if the command that plays it is ended", arguments: ["INT", "TERM", "KILL"])
  func abandoned(signal: String) throws {
    let theatre = try Theatre()
    let outcome = try theatre.run(
      """
      env --default-signal=INT "$recorder" play -d test:null umbrella & first=$!
      await 'sound status | grep -q playing'
      kill -\(signal) $first; wait $first; echo "code $?"
      """)
    let code = ["INT": 130, "TERM": 143, "KILL": 137][signal] ?? 0
    #expect(outcome.output.contains("code \(code)\n"), "\(outcome)")
    #expect(try theatre.wait { $0["umbrella"] == nil })
  }

  @Test("A detached play continues until it is stopped")
  func detached() throws {
    let theatre = try Theatre()
    let outcome = try theatre.run("play click --loop --detach --json")
    #expect(try parsed(outcome.output)["started"] as? Double ?? 0 > 0)
    #expect(try theatre.status()["click"]?["state"] as? String == "playing")
    #expect(try theatre.status()["click"]?["playsLeft"] is NSNull)
    #expect(try theatre.run("sound stop").code == 0)
    #expect(try theatre.status()["click"]?["state"] as? String == "stopped")
  }

  @Test("resume --all resumes paused sounds, and no stopped ones")
  func resumeAll() throws {
    let theatre = try Theatre()
    try theatre.run(
      """
      play bell --loop --detach; sound stop bell; play click --loop --detach
      sound pause --all; sound resume --all
      """)
    let status = try theatre.status()
    #expect(status["bell"]?["state"] as? String == "stopped", "\(status)")
    #expect(status["click"]?["state"] as? String == "playing", "\(status)")
  }

  @Test("Mutes and volumes are kept after the player has ended")
  func memory() throws {
    let theatre = try Theatre()
    try theatre.run("sound mute click > /dev/null; sound volume bell 0.25 > /dev/null")
    for process in theatre.studio.processes() { kill(pid_t(process), SIGTERM) }
    let outcome = try theatre.run("play click bell --json")
    #expect(outcome.code == 0)
    #expect(try theatre.status()["click"] == nil)
    #expect(try theatre.status()["bell"]?["volume"] as? Double == 0.25)
    #expect(try theatre.run("sound unmute click; play click --json").output.contains("ended"))
  }

  @Test("A cooldown keeps a sound from playing too often")
  func cooldown() throws {
    let theatre = try Theatre()
    let outcome = try theatre.run("play click; play click --cooldown 1m --json")
    #expect(outcome.code == 0 && outcome.output.contains("ignored"))
  }

  @Test(
    "It plays from everywhere: no streams, a substitution, cron's environment, none at all",
    arguments: [
      "play click <&- >&- 2>&-", "x=$(play click)",
      "env -i PATH=/usr/bin:/bin SHELL=/bin/sh HOME=\"$HOME\" "
        + "XDG_RUNTIME_DIR=\"$XDG_RUNTIME_DIR\" \"$recorder\" play click -d test:null 9> held",
      "env -i HOME=\"$HOME\" \"$recorder\" play click -d test:null",
    ])
  func anywhere(line: String) throws {
    let theatre = try Theatre()
    #expect(try theatre.run(line).code == 0)
    let process = try #require(theatre.studio.processes().first)
    let open = try theatre.run("ls -l /proc/\(process)/fd").output
    #expect(!open.contains("held") && !open.contains("pipe:"))
  }

  @Test("Many simultaneous plays start one player, and it ends by itself")
  func onePlayer() throws {
    let theatre = try Theatre()
    let outcome = try theatre.run(
      """
      n=0; while [ $n -lt 20 ]; do play click & n=$((n + 1)); done; wait
      pgrep -c -f "^[^ ]*recorder player" > /dev/null; ls $sockets
      """)
    #expect(outcome.output == "_player.sock\n", "\(outcome)")
    #expect(theatre.studio.processes().count == 1)
    for process in theatre.studio.processes() { kill(pid_t(process), SIGTERM) }
    let idle = try theatre.run("\"$recorder\" player --idle 300ms")
    #expect(idle.code == 0 && idle.errors == "")
    #expect(try theatre.studio.sockets().isEmpty)
  }

  @Test("A renamed file is refused with its new name, and another missing one as a file")
  func missingFile() throws {
    let theatre = try Theatre()
    let outcome = try theatre.run(
      """
      "$recorder" permission grant > said
      "$recorder" start --foreground --quiet --device test:ramp --duration 100ms a.wav > said
      "$recorder" rename a.wav b > said
      for name in a.wav ./a.wav none.wav; do play $name; echo $?; done
      """)
    let path = { theatre.scratch.path($0) }
    #expect(outcome.output == "10\n10\n10\n", "\(outcome)")
    #expect(
      outcome.errors == """
        recorder: "a.wav" was renamed to "\(path("b.wav"))"
        recorder: type that path, or "@1"
        recorder: "\(path("a.wav"))" was renamed to "\(path("b.wav"))"
        recorder: type that path, or "@1"
        recorder: no sound or file named "none.wav"
        recorder: "recorder takes" lists takes and files, "recorder sound list" lists sounds

        """, "\(outcome)")
  }

  @Test("A file can be controlled by the name that its status shows")
  func shownName() throws {
    let theatre = try Theatre()
    try theatre.ramp("done", frames: 480)
    try theatre.ramp("a.wav", frames: 480_000)
    let outcome = try theatre.run(
      """
      mkdir other; cp a.wav other; play ./a.wav --detach; play ./done; cd other
      sound stop a.wav; sound seek a.wav 5; sound rewind b.wav; echo $?
      sound rewind done --json | grep -c '"name"'; play ./a.wav --detach; sound stop a.wav; echo $?
      """)
    // A name in the library means only the sound of the library, which was not played.
    #expect(
      outcome.output.split(separator: "\n").map { line in
        line.split(separator: " ").prefix(2).joined(separator: " ")
      } == ["a.wav stopped", "a.wav stopped", "10", "0", "64"], "\(outcome)")
    #expect(outcome.output.contains("0:05.00 of"))
    #expect(outcome.errors.contains("2 sounds are called \"a.wav\""), "\(outcome)")
  }

  @Test(
    "The device is the one that is named, else that of the variable, also for a sound without a play"
  )
  func usualDevice() throws {
    let theatre = try Theatre()
    let played = try theatre.run(
      "RECORDER_PLAYBACK_DEVICE=test:null \"$recorder\" play click --json")
    #expect(played.code == 0 && played.output.contains("\"test:null\""), "\(played)")
    let named = try theatre.run(
      "RECORDER_PLAYBACK_DEVICE=test:null \"$recorder\" play click --device test:nowhere")
    #expect(named.code == 12, "\(named)")
    let missing = try theatre.run(
      "RECORDER_PLAYBACK_DEVICE=test:nowhere \"$recorder\" play click")
    #expect(missing.code == 12 && missing.errors.contains("test:nowhere"), "\(missing)")
    let prepared = try theatre.run(
      "RECORDER_PLAYBACK_DEVICE=test:null \"$recorder\" sound prepare done --json")
    #expect(prepared.code == 0 && prepared.output.contains("\"test:null\""), "\(prepared)")
  }

  @Test(
    "The player finds a device that was configured after its start",
    arguments: [(former: "mine", code: 12), (former: "other", code: 0)])
  func laterDevice(former: String, code: Int) throws {
    let theatre = try Theatre()
    let outcome = try theatre.run(
      """
      echo 'pcm.other { type null }' > .asoundrc
      device=\(former) play done; echo $?
      echo 'pcm.mine { type null }' >> .asoundrc
      device=mine play done; echo $?
      """)
    #expect(outcome.output.hasPrefix("\(code)\n") && outcome.output.hasSuffix("0\n"), "\(outcome)")
    #expect(theatre.studio.processes().count == 1, "\(outcome)")
  }
}
