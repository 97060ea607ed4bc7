import Foundation
import Support
import Testing

@Suite("Recording from the command line", .timeLimit(.minutes(10)))
struct RecordingTests {
  @Test("The file has every frame outside of pauses, in order, and its marks as cues")
  func life() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start a.wav && captured 0.3 && "$recorder" pause && "$recorder" pause &&
      await '[ "$("$recorder" status --json | number discarded)" != 0 ]' &&
      "$recorder" resume && "$recorder" resume && "$recorder" mark 'second part' && captured +0.3
      """)
    #expect(
      outcome.errors
        == "recorder: \"default\" is already paused\nrecorder: \"default\" is not paused\n")
    #expect(outcome.code == 0 && outcome.output.contains("\n  File    appears when it ends\n"))
    #expect(outcome.output.hasPrefix("Recording to \(studio.scratch.path)/a.wav\n"))
    #expect(outcome.output.contains("\nStop with: recorder stop\n"), "\(outcome)")
    let status = try #require(try studio.json("status")["recordings"] as? [[String: Any]]).first
    #expect(status?["state"] as? String == "recording" && status?["marks"] as? Int == 1)
    let result = try studio.json("stop")
    #expect(result["reason"] as? String == "stopped" && result["exit"] as? Int == 0)
    let frames = try #require(result["frames"] as? [String: Int])
    let numbers = Studio.ramp(try #require(try studio.soundBytes("a.wav")))
    #expect(numbers.count == frames["onDisk"] && numbers.first == 0)
    #expect(numbers.jumps.map(\.missing) == [frames["discarded"]])
    let info = try #require(try studio.json("info a.wav")["files"] as? [[String: Any]])
    let cues = try #require(info.first?["marks"] as? [[String: Any]])
    let frame = { (label: String) in
      cues.first { ($0["label"] as? String)?.hasPrefix(label) == true }?["frame"] as? Int
    }
    #expect(frame("paused for") == numbers.jumps.first?.place)
    #expect(try #require(frame("second part")) >= #require(frame("paused for")))
    #expect(try studio.processes().isEmpty && studio.sockets().isEmpty)
    let takes = try #require(try studio.json("takes")["takes"] as? [[String: Any]])
    #expect(takes.count == 1 && takes.first?["exists"] as? Bool == true)
  }

  @Test("A name without an extension gets the extension of the format, and start says so")
  func extended() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start talk; captured 0.2; "$recorder" stop > log
      "$recorder" config set format flac > log; mkdir sub; start sub/talk; captured 0.2
      "$recorder" stop > log; start sub; "$recorder" export --format mp3 talk.wav out > log
      ls -d out* sub/* talk*
      """)
    for name in ["talk.wav", "sub/talk.flac"] {
      #expect(
        outcome.output.contains("Recording to \(studio.scratch.path(name))\n"), "\(outcome)")
    }
    #expect(outcome.errors.contains("\"\(studio.scratch.path("sub"))\""), "\(outcome)")
    #expect(outcome.output.hasSuffix("\nout.mp3\nsub/talk.flac\ntalk.wav\n"), "\(outcome)")
  }

  @Test(
    "A start that is refused says so by its code, and leaves nothing behind",
    arguments: [
      ("start --deny a.wav", 21), ("start old.wav", 13), ("start /proc/none/a.wav", 13),
      ("start --min-free 900T a.wav", 13), ("start a.mp3", 64), ("start -f flac -", 64),
      ("start --bits float a.flac", 64), ("start --duration 0s a.wav", 64),
      ("start a.wav -o b.wav", 64), ("start --select 1,2 --channels 3 a.wav", 64),
      ("start sub/", 64), ("$recorder start --device test:nothing a.wav", 12),
      ("start --select 9 a.wav", 0), ("$recorder start --device test:tone:40000 a.wav", 12),
    ])
  func refusals(line: String, code: Int) throws {
    let studio = try Studio()
    let outcome = try studio.run("echo old > old.wav; \(line)")
    #expect(outcome.code == Int32(code), "\(outcome.errors)")
    guard code != 0 else { return }
    #expect(outcome.output == "" && outcome.errors.hasPrefix("recorder: "))
    let left = try studio.run("ls -A . sub 2> /dev/null; cat old.wav")
    #expect(!left.output.contains("a.") && left.output.hasSuffix("old\n"))
    #expect(try studio.processes().isEmpty && studio.sockets().isEmpty)
  }

  @Test("A start without a decision and without a terminal exits with 20 and makes no file")
  func notDetermined() throws {
    let studio = try Studio(granting: false)
    let outcome = try studio.run("start a.wav; code=$?; ls a.wav; exit $code")
    #expect(outcome.code == 20 && outcome.output == "")
    #expect(outcome.errors.contains("recorder permission grant"))
  }

  @Test(
    "A session that was not let in by the command refuses by itself",
    arguments: [("", 20), ("$recorder permission revoke", 21)])
  func sessionRefuses(before: String, code: Int) throws {
    let studio = try Studio(granting: false)
    let plan = """
      {"identifier":"a1","name":"x","capture":{"device":"test:ramp"},
      "output":{"path":"'"$HOME"'/a.wav","format":"wav"},"limits":{"free":0}}
      """.split(separator: "\n").joined()
    let outcome = try studio.run(
      "\(before) > /dev/null\n printf '%s\\n' '\(plan)' > plan; $recorder session 3< plan")
    #expect(outcome.code == Int32(code), "\(outcome.errors)")
    #expect(try studio.run("ls -A").output.contains("a.wav") == false)
  }

  @Test("Without a recording, pause, mark, stop and wait exit with 10")
  func absent() throws {
    let studio = try Studio()
    for verb in ["pause", "resume", "toggle", "mark", "stop", "wait", "cancel", "stop --all"] {
      #expect(try studio.run("$recorder \(verb)").code == 10, "\(verb)")
    }
    #expect(try studio.run("$recorder status").output == "Nothing is being recorded.\n")
  }

  @Test("Recordings run under different names, and a second start of a name is refused")
  func names() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start a.wav && start --name other --format flac b && start c.wav
      code=$?; ls -A; "$recorder" stop --all --json; exit $code
      """)
    #expect(outcome.code == 11 && !outcome.output.contains("c.wav"))
    let results = try outcome.output.split(separator: "\n").filter { $0.hasPrefix("{") }.map {
      try parsed(String($0))
    }
    #expect(results.compactMap { $0["name"] as? String }.sorted() == ["default", "other"])
    #expect(results.allSatisfy { $0["reason"] as? String == "stopped" }, "\(outcome)")
    for name in ["a.wav", "b.flac"] {
      let numbers = Studio.ramp(try #require(try studio.soundBytes(name)))
      #expect(!numbers.isEmpty && firstBreak(in: numbers) == nil)
    }
  }

  @Test("An existing file is replaced only with --force, and only at the end")
  func force() throws {
    let studio = try Studio()
    let before = try studio.run(
      "echo old > a.wav; start --force a.wav > said; cat a.wav; grep -c 'Replaces.*trash' said")
    #expect(before == Outcome(code: 0, output: "old\n1\n", errors: ""))
    let status = try studio.run("$recorder status")
    #expect(status.output.contains("  Replaces  the file of that name, which goes to the trash"))
    let running = try studio.json("status default")["recordings"] as? [[String: Any]]
    #expect(running?.first?["replaces"] as? String == "trash", "\(running ?? [])")
    let stopped = try studio.run("$recorder stop")
    #expect(stopped.code == 0 && stopped.output.contains("  Replaced  a file, now at"))
    #expect(stopped.output.contains(studio.scratch.path(".local/share/Trash/files/a.wav")))
    #expect(try studio.soundBytes("a.wav") != nil)
  }

  @Test("A replaced file goes to the trash with its sidecar, and can be restored")
  func restored() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      echo old > a.wav; echo '{}' > a.wav.json; start --force -q a.wav > log; captured 0.1
      "$recorder" stop --json > log; cat .local/share/Trash/files/a.wav; ls a.wav*
      "$recorder" undo | grep -c 'a-restored.wav, because its old name is taken'
      cat a-restored.wav a-restored.wav.json; ls a.wav*
      """)
    #expect(outcome.output == "old\na.wav\n1\nold\n{}\na.wav\n", "\(outcome)")
    let result = try parsed(try studio.run("cat log").output)
    #expect(result["exit"] as? Int == 0 && result["message"] == nil, "\(result)")
    let trashed = studio.scratch.path(".local/share/Trash/files/a.wav")
    #expect(result["replacedFiles"] as? [String] == [trashed], "\(result)")
  }

  @Test("A file that cannot go to the trash is replaced, and the result and undo say so")
  func untrashed() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start -q --duration 100ms a.wav > log; "$recorder" wait > log; "$recorder" rename @1 b > log
      mkdir -p .local/share; echo > .local/share/Trash
      echo old > a.wav; start --force -q a.wav > log; captured 0.1; "$recorder" stop; echo $?
      "$recorder" undo; echo $?; ls *.wav
      """)
    #expect(outcome.output.contains("is lost: cannot move"), "\(outcome)")
    #expect(outcome.output.hasSuffix("\n0\n10\na.wav\nb.wav\n"), "\(outcome)")
    #expect(outcome.errors.contains("a.wav\": --force replaced it "), "\(outcome)")
    #expect(try studio.soundBytes("a.wav") != nil)
  }

  @Test("A finished take is reported to every wait with its name", arguments: ["", "--foreground"])
  func repeatedWait(option: String) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start -q --name talk --max-size 40K \(option) a.wav > log; over; "$recorder" wait talk > first
      "$recorder" wait talk; echo $?; "$recorder" wait talk --json > json; echo $?; cat json
      (ulimit -f 200; start -q --name full \(option) b.wav > log); over
      "$recorder" wait full > log; echo $?; "$recorder" wait full > log; echo $?
      "$recorder" stop talk; echo $?; "$recorder" wait other; echo $?
      touch -d '11 minutes ago' $state/takes.jsonl; "$recorder" wait talk; echo $?
      """)
    let first = String(decoding: try studio.scratch.read("first"), as: UTF8.self)
    #expect(first.hasPrefix("Saved ") && outcome.output.hasPrefix(first + "0\n0\n{"), "\(outcome)")
    #expect(outcome.output.contains("\"reason\":\"size\",\"exit\":0,"), "\(outcome)")
    #expect(outcome.output.hasSuffix("}\n14\n14\n10\n10\n10\n"), "\(outcome)")
  }

  @Test("A take that ends by itself is reported once, with its own exit code")
  func automaticEnd() throws {
    let studio = try Studio()
    #expect(try studio.run("start --duration 250ms a.wav && $recorder wait").code == 0)
    #expect(Studio.ramp(try #require(try studio.soundBytes("a.wav"))).count == 12_000)
    #expect(try studio.run("$recorder wait").code == 10)
    let late = try studio.run(
      "start --max-size 40K b.wav > /dev/null; over; $recorder stop --json; $recorder stop")
    #expect(late.code == 10)
    #expect(try parsed(late.output)["reason"] as? String == "size")
    #expect(try studio.scratch.read("b.wav").count <= 42_000)
  }

  @Test("A take whose file can no longer grow ends with 14, and keeps all frames until then")
  func fullDisk() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      "(ulimit -f 200; start --json a.wav); $recorder wait --json; code=$?; ls -A; exit $code")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(outcome.code == 14 && lines.count > 2 && !lines.contains(".a.wav.part"))
    let result = try parsed(try #require(lines.dropFirst().first))
    #expect(result["reason"] as? String == "disk")
    #expect((result["message"] as? String)?.contains("File too large") == true)
    let numbers = Studio.ramp(try #require(try studio.soundBytes("a.wav")))
    #expect(numbers.count == (result["frames"] as? [String: Int])?["onDisk"])
    #expect(firstBreak(in: numbers) == nil)
  }

  @Test("For some minutes after a take has ended, commands report when and how it ended")
  func ended() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" status; start --duration 0.3 --name talk a.wav > said; over
      for command in status 'mark x' 'pause talk' 'stop other'; do "$recorder" $command 2>&1; echo $?; done
      touch -d '11 minutes ago' $state/takes.jsonl; "$recorder" status
      """)
    let lines = outcome.output.split(separator: "\n")
    let told = lines.filter { $0.contains("\"talk\" ended ") }
    #expect(told.count == 3, "\(outcome)")
    for line in told {
      #expect(line.contains("--duration was reached; saved ") && line.contains("a.wav"))
    }
    #expect(lines.filter { $0 == "Nothing is being recorded." }.count == 3, "\(outcome)")
  }

  @Test("status --quiet prints nothing and exits with 0 only during a recording")
  func quietStatus() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" status -q; echo $?; start --name talk a.wav > said; "$recorder" status -q; echo $?
      "$recorder" status -q talk; echo $?; "$recorder" status -q other; echo $?
      """)
    #expect(outcome.output == "10\n0\n0\n10\n" && outcome.errors == "", "\(outcome)")
  }

  @Test("mark --help says which files have their marks in FILE.json")
  func sidecars() throws {
    let outcome = try Studio().run(
      """
      mark() { captured 0.1; "$recorder" mark zebra > said; }
      start a.wav > said; mark; "$recorder" stop > said
      start b.flac > said; mark; "$recorder" stop > said
      start c.wav > said; mark; "$recorder" pause > said
      await '[ "$("$recorder" status --json | number discarded)" != 0 ]'; "$recorder" resume > said
      "$recorder" stop > said; ls *.json; grep -c zebra *.json; "$recorder" mark --help
      """)
    #expect(
      outcome.output.hasPrefix("b.flac.json\nc.wav.json\nb.flac.json:1\nc.wav.json:1\n"),
      "\(outcome)")
    #expect(outcome.output.contains(" WAV file with a pause"), "\(outcome)")
  }

  @Test("Revoking the permission ends the take with 24, and the sound is kept")
  func revoke() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      "start a.wav && captured 0.2 && $recorder permission revoke && $recorder wait")
    #expect(outcome.code == 24, "\(outcome.errors)")
    #expect(try studio.soundBytes("a.wav") != nil)
  }

  @Test("A grant for one recording survives a refused start, and is used up by a recording")
  func once() throws {
    let studio = try Studio(granting: false)
    let outcome = try studio.run(
      """
      "$recorder" permission grant --once; echo old > old.wav
      start old.wav; echo $?; start a.wav; echo $?; "$recorder" stop; echo $?; start b.wav
      """)
    let codes = outcome.output.split(separator: "\n").filter { Int($0) != nil }
    #expect(codes == ["13", "0", "0"] && outcome.code == 20, "\(outcome)")
  }

  @Test("The format and the channels of a take can differ from those of the device")
  func formats() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" start -d test:tone -c 1 -f opus --name o o.opus && start -b 24 --name f f.flac &&
      start --select 2,1 --name s s.wav && captured 0.3 s && "$recorder" stop --all &&
      "$recorder" info o.opus f.flac s.wav
      """)
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("48000 Hz, mono"))
  }
}
