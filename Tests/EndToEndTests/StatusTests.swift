import Foundation
import Support
import Testing

@Suite("Messages about a recording", .timeLimit(.minutes(10)))
struct StatusTests {
  let studio: Studio

  init() throws { studio = try Studio() }

  private func recording(_ command: String) throws -> [String: Any] {
    let object = try studio.json(command)
    return (object["recordings"] as? [[String: Any]])?.first ?? object
  }

  @Test("status refuses another name as pause does, and names the running recordings")
  func otherName() throws {
    _ = try studio.start("-n r1 a.wav")
    let (status, pause) = (
      try studio.run("$recorder status zzz"), try studio.run("$recorder pause zzz")
    )
    #expect(status == pause && status.code == 10, "\(status) \(pause)")
    #expect(status.errors.contains("running: \"r1\""), "\(status)")
    #expect(try studio.run("$recorder status r1").output.hasPrefix("r1: recording\n"))
    #expect(try studio.json("status zzz")["error"] != nil)
  }

  @Test("status with a name reports only on that name, also after the end")
  func namedEnd() throws {
    let (first, second) = (try studio.start("-n u1 u1.wav"), try studio.start("-n u2 u2.wav"))
    try studio.run(
      """
      kill -KILL \(first) \(second); ended \(first) \(second)
      for n in a b; do start --duration 0.2 --foreground -n $n $n.wav > log; done
      """)
    let interrupted = try studio.run("$recorder status u2")
    #expect(interrupted.output.hasPrefix("u2: interrupted\n"), "\(interrupted)")
    #expect(!interrupted.output.contains("u1"), "\(interrupted)")
    let ended = try studio.run("$recorder status a")
    #expect(ended.code == 10 && ended.errors.contains("\"a\" ended "), "\(ended)")
    #expect(!ended.errors.contains("\"b\" ended"), "\(ended)")
  }

  @Test("After an end, status has the current path of the file, in text and in JSON")
  func lastPlace() throws {
    func path(_ name: String) -> String { studio.scratch.path(name) }
    func last(_ script: String) throws -> (words: String, json: [String: Any]) {
      let words = try studio.run(script + " > log; $recorder status").output
      return (words, try studio.json("status")["last"] as? [String: Any] ?? [:])
    }
    let saved = try last("start a.wav > log; captured 0.2; $recorder stop")
    #expect(saved.words.contains("stopped; saved \"\(path("a.wav"))\""), "\(saved)")
    #expect(saved.json["path"] as? String == path("a.wav"), "\(saved)")
    let renamed = try last("$recorder rename @1 b")
    #expect(renamed.words.contains("saved \"\(path("b.wav"))\""), "\(renamed)")
    #expect(renamed.json["path"] as? String == path("b.wav"), "\(renamed)")
    let trashed = try last("$recorder trash @1")
    #expect(trashed.words.contains("\"\(path("b.wav"))\" is in the trash"), "\(trashed)")
    #expect(trashed.json["exists"] as? Bool == false && trashed.json["trash"] != nil)
    let removed = try last("$recorder undo; rm b.wav")
    #expect(removed.words.contains("\"\(path("b.wav"))\", which is missing"), "\(removed)")
  }

  @Test("A cancelled file of a split take is reported, with the files that stay and an undo")
  func cancelled() throws {
    let outcome = try studio.run(
      """
      start c1.wav --split 1h > log; captured 0.2; "$recorder" split > log; captured +0.2
      "$recorder" cancel; "$recorder" status; "$recorder" undo > log; "$recorder" status
      """)
    let lines = outcome.output.split(separator: "\n")
    let (first, second) = (studio.scratch.path("c1.wav"), studio.scratch.path("c1-002.wav"))
    #expect(lines.first?.hasPrefix("Cancelled \(second) after 0:0") == true, "\(outcome)")
    #expect(lines.dropFirst().first == "The finished file stays: \(first)", "\(outcome)")
    #expect(outcome.output.contains("cancelled; \"\(second)\" is in the trash"))
    #expect(outcome.output.contains("cancelled; restored \"\(second)\""), "\(outcome)")
    let takes = try studio.json("takes")["takes"] as? [[String: Any]]
    #expect(takes?.last?["reason"] as? String == "cancelled", "\(outcome)")
  }

  @Test("A wait does not report a cancelled file as saved, and a stop reports the marks")
  func reports() throws {
    let outcome = try studio.run(
      """
      start c.wav > log; captured 0.2; "$recorder" wait > waited & \(EndingTests.connected)
      "$recorder" cancel > log; wait; cat waited
      start m.wav > log; captured 0.2; "$recorder" mark x > log; "$recorder" stop
      """)
    let waited = "Cancelled \(studio.scratch.path("c.wav"))\n"
    #expect(outcome.output.hasPrefix(waited), "\(outcome)")
    #expect(outcome.output.contains("\"recorder undo\" restores the file\n"), "\(outcome)")
    #expect(outcome.output.contains(try Regex("\n +Marks +1\n")), "\(outcome)")
  }

  @Test("An ended recording that lost frames in an earlier file says so")
  func losses() throws {
    let outcome = try studio.run(
      """
      pid=$(start l.wav --json | number pid); captured 0.2; halted "$pid" 2
      captured +1; "$recorder" split > log; captured +0.2; before=$(date +%s); "$recorder" stop
      "$recorder" status; echo "within $(($(date +%s) - before)) s"
      """)
    #expect(
      outcome.output.contains(/in 2 files;\s+[0-9]+\s+frames\s+lost\s+\([0-9:.]+\)\s+in\s+earlier/),
      "\(outcome)")
    let ended = try #require(
      outcome.output.firstMatch(
        of: /ended ([0-9]+) s ago: stopped; [0-9]+ frames lost[^\n]*\nwithin ([0-9]+) s/),
      "\(outcome)")
    #expect(try #require(Int(ended.1)) <= #require(Int(ended.2)), "\(outcome)")
  }

  @Test(
    "The cause of a lost permission is part of a sentence",
    arguments: [
      ("reset", "the decision that allowed microphone access was removed"),
      ("revoke", "microphone access was refused on "),
    ])
  func permission(command: String, told: String) throws {
    let outcome = try studio.run(
      "start z.wav > log; captured 0.2; $recorder permission \(command) > log; $recorder status")
    #expect(outcome.output.contains(" ago: \(told)"), "\(outcome)")
    #expect(outcome.output.contains("; saved ") && !outcome.output.contains(".; "), "\(outcome)")
  }

  @Test("status shows the length of a file and the length of its take in two rows")
  func split() throws {
    _ = try studio.start("a.wav")
    try studio.run(
      "captured 0.5; $recorder mark x; $recorder split; $recorder pause; $recorder mark")
    let status = try recording("status")
    let frames = try #require(status["frames"] as? [String: Int])
    let inFile = try #require(status["segmentFrames"] as? Int)
    #expect(inFile < (frames["onDisk"] ?? 0) - 20_000, "\(status)")
    let text = try studio.run("$recorder status").output
    #expect(text.contains("a-002.wav") && text.contains(" in 2 files, 2 marks\n"), "\(text)")
    let length = text.split(separator: "\n").first { $0.contains("Length") }
    let inRow = String(format: "0:%02d.", inFile / 48_000)
    #expect(length?.contains(inRow) == true && length?.contains("mark") == false, "\(text)")
  }

  @Test("pause reports the length at which it paused", arguments: ["pause", "toggle"])
  func paused(verb: String) throws {
    _ = try studio.start("a.wav")
    let answer = try recording(verb)
    #expect(answer["state"] as? String == "paused")
    let later = try recording("status")
    let frames = [answer, later].map { ($0["frames"] as? [String: Int])?["onDisk"] }
    #expect(frames[0] == frames[1] && (frames[0] ?? 0) > 0, "\(frames)")
    let saved = try studio.json("stop")["frames"] as? [String: Int]
    #expect(saved?["onDisk"] == frames[0], "\(frames)")
  }

  @Test("stop reports the time that a pause left out, which is no gap")
  func leftOut() throws {
    let outcome = try studio.run(
      """
      start a.wav > said; captured 0.2; "$recorder" pause > said
      await '[ "$("$recorder" status --json | number discarded)" -gt 4800 ]'; "$recorder" stop
      """)
    let lines = outcome.output.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(lines.contains { $0.starts(with: ["Gaps", "none"]) }, "\(outcome)")
    #expect(lines.contains { $0.starts(with: ["Left", "out"]) && $0[2] >= "0:00.1" }, "\(outcome)")
  }

  @Test("trigger and toggle report the level of the frames", arguments: ["trigger", "toggle"])
  func level(verb: String) throws {
    let outcome = try studio.run(
      """
      "$recorder" start -d test:tone \(verb == "trigger" ? "--armed" : "") a.wav > log
      \(verb == "toggle" ? "captured 0.2; $recorder pause > log" : "")
      "$recorder" \(verb); "$recorder" stop > log
      """)
    #expect(outcome.output.contains("default: recording\n"), "\(outcome)")
    #expect(!outcome.output.contains("silence"), "\(outcome)")
  }

  @Test("pause does not wait for a device that delivers nothing")
  func standstill() throws {
    try studio.scratch.write(
      """
      </usr/share/alsa/alsa.conf>
      pcm.stuck {
        type file  slave.pcm { type null }  file "/dev/null"
        infile "\(studio.scratch.path("pipe"))"  format raw
      }
      """, to: "asound.conf")
    // A reader of this pipe waits without end, because the pipe is held open and is empty.
    let outcome = try studio.run(
      """
      mkfifo pipe; exec 3<> pipe; head -c 400000 /dev/zero > pipe 3>&- &
      export ALSA_CONFIG_PATH="$HOME/asound.conf"
      "$recorder" start -d stuck a.wav 3>&- > log
      stuck
      timeout 4 "$recorder" pause 3>&-; code=$?; timeout 8 "$recorder" stop 3>&- > log; exit $code
      """)
    #expect(outcome.code == 0 && outcome.output.hasPrefix("default: paused\n"), "\(outcome)")
  }

  /// Records and renames a take, so that a later recording can get its path.
  private func recordAndRename(_ file: String) throws {
    let outcome = try studio.run(
      """
      start -n old \(file) > log && captured 0.1 old && "$recorder" stop old > log
      "$recorder" rename \(file) old
      """)
    #expect(outcome.code == 0, "\(outcome)")
  }

  @Test(
    "An interrupted take is found by the name of its file, even if an old take had it",
    arguments: [false, true])
  func interrupted(isReused: Bool) throws {
    if isReused { try recordAndRename("k.wav") }
    let process = try studio.start("-n talk k.wav")
    try studio.run("captured 0.2 talk; kill -KILL \(process); ended \(process)")
    let part = studio.scratch.path(".k.wav.part")
    let commands = [
      "info k.wav", "show k.wav", "play -d test:null ./k.wav", "trash k.wav", "rename k.wav b",
      "export k.wav b.flac", "sound add k.wav", "info @talk", "play @k",
    ]
    for command in commands {
      let outcome = try studio.run("$recorder \(command)")
      #expect(outcome.code == 10, "\(outcome)")
      #expect(outcome.errors.contains("was not saved: the recording \"talk\" was interrupted"))
      #expect(outcome.errors.contains(part) && outcome.errors.contains("recorder recover"))
    }
    let pause = try studio.run("$recorder pause")
    #expect(pause.code == 10, "\(pause)")
    #expect(pause.errors.contains("\"talk\" was interrupted: \"recorder recover\" saves it"))
    for command in ["stop", "stop talk", "wait", "wait talk"] {
      let outcome = try studio.run("$recorder \(command)")
      #expect(outcome.code == 14 && outcome.errors.contains(part), "\(outcome)")
    }
  }

  @Test(
    "Every command refuses a file that is being recorded with 11, even if an old take had its path",
    arguments: [false, true])
  func beingRecorded(isReused: Bool) throws {
    if isReused { try recordAndRename("z1.wav") }
    _ = try studio.start("-n x z1.wav")
    for command in [
      "info z1.wav", "show z1.wav", "play -d test:null ./z1.wav", "trash z1.wav", "rename z1.wav b",
      "export z1.wav b.flac", "sound add z1.wav", "info @x",
    ] {
      let outcome = try studio.run("$recorder \(command)")
      #expect(outcome.code == 11 && outcome.errors.contains("being recorded"), "\(outcome)")
    }
  }

  @Test("A second start names the file of the first, and the command that stops it")
  func secondStart() throws {
    let process = try studio.start("z.wav")
    let outcome = try studio.run("start other.wav")
    #expect(outcome.code == 11, "\(outcome)")
    let path = studio.scratch.path("z.wav")
    #expect(
      outcome.errors.hasPrefix(
        "recorder: already recording to \"\(path)\" under the name \"default\" (process \(process))\n"
      ), "\(outcome)")
    #expect(outcome.errors.contains("stop it with \"recorder stop\","), "\(outcome)")
  }

  @Test("A killed session is listed as interrupted immediately, and recover saves it")
  func killed() throws {
    for round in 0..<8 {
      let process = try studio.start("r\(round).wav")
      let outcome = try studio.run(
        "captured 0.1; kill -KILL \(process); $recorder status; $recorder recover > log")
      #expect(outcome.output.hasPrefix("default: interrupted\n"), "\(outcome)")
      #expect(outcome.code == 0, "\(outcome)")
    }
  }

  @Test("An armed recording shows what starts it, and its levels")
  func armed() throws {
    try studio.run("\"$recorder\" start -d test:tone --start-on-sound=-1dB a.wav > log")
    try studio.run("await '$recorder status | grep -q \"Level .*dBFS\"'")
    // Each mark wakes the writer, mostly before there are new frames.
    let marked = try studio.run("for n in 1 2 3 4; do $recorder mark; $recorder status; done")
    #expect(marked.code == 0 && !marked.output.contains("silence"), "\(marked)")
    let armed = try studio.run("$recorder status; $recorder trigger").output
    #expect(armed.contains("a sound of at least -1.0 dBFS, or recorder trigger\n"), "\(armed)")
    #expect(armed.contains("-20.0 dBFS, mean -23.0 dBFS\n"), "\(armed)")
    #expect(armed.contains("-20.0 dBFS, highest -20.0 dBFS\n"), "\(armed)")
    let waiting = armed.split(separator: "default: recording").first ?? ""
    #expect(!waiting.contains("bytes"), "\(armed)")
  }

  @Test("A paused recording shows no current level, in text and in JSON")
  func pausedLevel() throws {
    try studio.run("\"$recorder\" start -q -d test:tone a.wav; captured 0.2; $recorder pause -q")
    let text = try studio.run("$recorder status").output
    #expect(text.contains("  Level   highest -20.0 dBFS\n"), "\(text)")
    let json = try recording("status")
    #expect(json["state"] as? String == "paused")
    for key in ["peak", "rms", "clipped", "levels"] { #expect(json[key] == nil, "\(key)") }
  }

  @Test("status shows the limits of a take, in text and in JSON")
  func limits() throws {
    let keys: Set = ["limits", "split", "keep", "stopOnSilence", "threshold"]
    _ = try studio.start(
      "--duration 1h --max-size 1G --split 10m --keep 5 --stop-on-silence 1h a.wav")
    let status = try recording("status")
    let limits = try #require(status["limits"] as? [String: Any])
    #expect(limits["duration"] as? Double == 3_600, "\(status)")
    #expect(keys.isSubset(of: status.keys), "\(status)")
    let text = try studio.run("$recorder status; $recorder stop > log").output
    let words = text.split { $0.isWhitespace }.joined(separator: " ")
    #expect(words.contains("Limits ends after 1 h or after 1 h of silence (below -50.0 dBFS);"))
    #expect(words.contains("a new file every 10 min or at 1.0 GiB; keeps the newest 5 files"))
    #expect(words.contains("newest 5 files and deletes older ones"))
    _ = try studio.start("b.wav")
    #expect(keys.isDisjoint(with: try recording("status").keys))
    #expect(try !studio.run("$recorder status").output.contains("Limits"))
  }

  @Test("The overview offers only commands that work")
  func overview() throws {
    func overview(_ before: String) throws -> String {
      let terminal = #"script -qec '"$recorder"' /dev/null < /dev/null"#
      return try studio.run("\(before) > log; \(terminal)").output
    }
    let armed = try overview("start --armed a.wav")
    #expect(armed.contains("recorder trigger") && !armed.contains("recorder stop"), "\(armed)")
    let denied = try overview("$recorder cancel; $recorder permission revoke")
    #expect(denied.contains("recorder permission grant"), "\(denied)")
    #expect(!denied.contains("recorder start") && denied.contains("refused by you"), "\(denied)")
    let reset = try overview("$recorder permission reset")
    let status = try studio.run("$recorder permission status").output
    #expect(reset.contains("not decided yet") && status.contains("not decided yet"), "\(reset)")
  }

  @Test("An absent recording gets the same advice with and without a name")
  func advice() throws {
    for command in ["stop", "stop zzz", "stop --all", "status zzz"] {
      let outcome = try studio.run("$recorder \(command)")
      #expect(outcome.errors.hasSuffix("\"recorder takes\" lists finished recordings\n"))
    }
  }
}
