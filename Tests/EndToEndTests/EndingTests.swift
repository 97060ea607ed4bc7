import Foundation
import Support
import Testing

@Suite("Reports of the end of a recording", .timeLimit(.minutes(10)))
struct EndingTests {
  /// A script that waits until the command in the background is connected to its session.
  static let connected = "await 'ls -l /proc/$!/fd 2>&1 | grep -q socket:'"

  @Test("wait exits with 14 and names the part if the session is killed")
  func killedWhileWaitedFor() throws {
    let studio = try Studio()
    let process = try studio.start("a.wav")
    let outcome = try studio.run(
      "$recorder wait --json & \(Self.connected); kill -KILL \(process); wait $!")
    #expect(outcome.code == 14)
    for words in ["was interrupted", "/.a.wav.part\"", "recorder recover"] {
      #expect(outcome.errors.contains(words), "\(outcome)")
    }
    let error = try parsed(outcome.output)["error"] as? [String: Any]
    #expect(error?["exit"] as? Int == 14)
    #expect(try studio.run("$recorder stop").code == 14)
    let gone = try studio.run("rm .a.wav.part; $recorder stop")
    #expect(gone.code == 14 && gone.errors.contains("/.a.wav.part\" is missing"), "\(gone)")
    #expect(try studio.run("$recorder recover; $recorder stop").code == 10)
  }

  @Test("A killed recording to stdout is reported once")
  func killedStream() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" start -d test:ramp - > a.raw & stream=$!; await [ -s a.raw ]
      "$recorder" wait & \(Self.connected); kill -KILL $stream; wait $!; echo $?; "$recorder" wait; echo $?
      """)
    #expect(outcome.output == "14\n10\n" && outcome.errors.contains("it had no file"), "\(outcome)")
  }

  @Test(
    "If a recording ends before its first frame, start and the ending command report it",
    arguments: [
      ("\"$recorder\" stop > /dev/null; echo $?", 15, "15\n"),
      ("kill -TERM $pid", 15, ""), ("\"$recorder\" permission revoke > /dev/null", 21, ""),
    ])
  func beforeTheFirstFrame(ending: String, code: Int, output: String) throws {
    let studio = try Studio()
    let held = try studio.holding("read")
    let outcome = try studio.run(
      """
      \(held) "$recorder" start -d null --reconnect 1h a.wav & start=$!
      await [ -e .a.wav.part ]
      await 'record=$(cat $state/sessions/default.json)'
      pid=${record#*'"pid":'}; pid=${pid%%,*}
      \(ending)
      wait $start; code=$?; ls -A | grep wav; exit $code
      """)
    #expect(outcome.code == Int32(code) && outcome.output == output, "\(outcome)")
    #expect(try studio.processes().isEmpty && studio.sockets().isEmpty)
  }

  @Test("A signal ends a start whose device does not open", arguments: ["TERM", "INT"])
  func whileOpening(signal: String) throws {
    let studio = try Studio()
    let held = try studio.holding("open")
    let outcome = try studio.run(
      """
      \(held) timeout -s \(signal) 1 "$recorder" start --foreground -d null a.wav
      code=$?; ls -A | grep wav; exit $code
      """)
    // The exit code of `timeout` if the signal ended its command.
    #expect(outcome.code == 124 && outcome.output == "", "\(outcome)")
    #expect(outcome.errors.contains("stopped before"))
    #expect(try studio.processes().isEmpty && studio.sockets().isEmpty)
  }

  @Test("While its device opens, the status says that a recording begins")
  func beginning() throws {
    let studio = try Studio()
    let held = try studio.holding("open")
    let outcome = try studio.run(
      """
      \(held) "$recorder" start -d null a.wav 2> refused & start=$!
      await '"$recorder" status | head -n 1 | grep starting'
      pid=$("$recorder" status | sed -n 's/.*kill -TERM //p')
      kill -TERM $pid; wait $start; echo $?; cat refused
      """)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.prefix(2) == ["default: starting", "15"] && outcome.errors == "", "\(outcome)")
    #expect(lines.last?.contains("stopped before \"null\" was open") == true)
  }

  @Test(
    "A device that never delivers is reported within seconds, even with --reconnect",
    arguments: [("again", "delivered no audio")]
      + (isThorough ? [("open", "did not answer"), ("read", "delivered no audio")] : []))
  func neverDelivers(how: String, words: String) throws {
    let studio = try Studio()
    let held = try studio.holding(how)
    let outcome = try studio.run(
      "\(held) timeout 20 \"$recorder\" start -d null --reconnect 1h a.wav")
    #expect(outcome.code == 12 && outcome.errors.contains(words), "\(outcome)")
    #expect(try studio.processes().isEmpty && !studio.run("ls -A").output.contains("wav"))
  }

  @Test("Sound that the reader of stdout does not read is counted and reported, with 14")
  func undelivered() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      mkfifo pipe; sleep 30 < pipe & { start --json - > pipe; echo "code $?"; } 2> errors &
      # The sound that is not taken gathers, and is not counted before the end.
      captured 0.1; sleep 2; "$recorder" stop --json; echo "code $?"; wait $!; kill %1; cat errors
      """)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.filter { $0 == "code 14" }.count == 2, "\(outcome)")
    let results = try lines.filter { $0.hasPrefix("{") }.map(parsed)
    #expect(results.count == 2)
    for result in results {
      let frames = try #require(result["frames"] as? [String: Int])
      let (captured, lost) = (try #require(frames["captured"]), try #require(frames["lost"]))
      #expect(frames["elapsed"] == captured + lost && lost > 48_000)
      #expect((result["message"] as? String)?.contains("were not delivered") == true)
    }
  }

  @Test("A take that cannot be listed ends with 14 in the foreground", arguments: ["a.wav", "-"])
  func unlisted(file: String) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      "mkdir -p $state/takes.jsonl; start --foreground --duration 0.2 \(file) > said")
    #expect(outcome.code == 14, "\(outcome)")
    let said = String(decoding: try studio.scratch.read("said"), as: UTF8.self)
    let report = file == "-" ? outcome.errors : said + outcome.errors
    #expect(report.contains("not in the list of takes"), "\(outcome)")
  }

  @Test("The list of takes has every end with its reason, and marks replaced files")
  func takes() throws {
    let studio = try Studio()
    try studio.run(
      """
      start --duration 100ms a.wav; "$recorder" wait; start --force --duration 100ms a.wav
      "$recorder" wait; (ulimit -f 100; start b.wav); over; start --name other c.wav
      rm c.wav; "$recorder" stop other; rm c.wav; start d.wav; "$recorder" cancel
      """)
    let lines = try studio.run("$recorder takes").output.split(separator: "\n")
    #expect(lines.count == 5, "\(lines)")
    #expect(lines[0].hasSuffix("/a.wav  (in the trash)") && lines[1].hasSuffix("/a.wav"))
    #expect(lines[2].hasSuffix("/b.wav  (writing failed)"))
    #expect(lines[3].hasSuffix("/c.wav  (gone)"))
    #expect(lines[4].hasSuffix("/d.wav  (in the trash)"), "\(lines)")
  }

  @Test("A result that was not read is reported by the next start of the name")
  func unread() throws {
    let studio = try Studio()
    let outcome = try studio.run("(ulimit -f 100; start b.wav); over; start c.wav")
    #expect(
      outcome.code == 0
        && outcome.errors.contains(
          "an earlier recording \"default\" ended with exit code 14 (the file could not be written)"
        ),
      "\(outcome)")
  }

  @Test(
    "Every failure is an object too where JSON is asked for",
    arguments: [
      ("stop --json", 10), ("start --json --none", 64), ("start --json a.wav -d test:none", 12),
      ("permission grant --for 1x --json", 64), ("info --json none.wav", 10), ("--json", 64),
    ])
  func failures(line: String, code: Int) throws {
    let studio = try Studio()
    let outcome = try studio.run("$recorder \(line)")
    #expect(outcome.code == Int32(code))
    let object = try parsed(outcome.output)
    #expect(object["schema"] as? Int == 2)
    guard line != "info --json none.wav" else { return }
    let error = try #require(object["error"] as? [String: Any])
    #expect(error["exit"] as? Int == code && error["reason"] is String)
    #expect(error["exit"] as? Int == code && (error["message"] as? String)?.isEmpty == false)
    #expect(error["advice"] is [String])
  }

  @Test("Only sound goes to stdout, even after a failure, and JSON goes to stderr")
  func soundAlone() throws {
    let studio = try Studio()
    let refused = try studio.run("start - --json --deny")
    #expect(refused.code == 21 && refused.output == "")
    #expect(refused.errors.contains("\"error\":{\"exit\":21"))
    let ended = try studio.run("start - --json --duration 100ms | wc -c")
    #expect(ended.output == "19200\n" && ended.errors.contains("\"reason\":\"duration\""))
  }

  @Test("A start reports a directory that it makes for the file")
  func madeDirectories() throws {
    let studio = try Studio()
    let outcome = try studio.run("start new/er/a.wav")
    #expect(outcome.errors == "recorder: created the directory \"\(studio.scratch.path)/new/er\"\n")
    #expect(try studio.run("$recorder stop; start new/er/b.wav").errors == "")
  }
}

@Suite("A session whose runtime directory is removed", .timeLimit(.minutes(10)))
struct LogoutTests {
  @Test("It listens in the state directory until the runtime directory is back; watchers stay")
  func logout() throws {
    let studio = try Studio()
    let process = try studio.start("a.wav")
    let outcome = try studio.run(
      """
      "$recorder" status --watch > watched & watch=$!
      rm -r run; await [ -S $state/default.sock ]
      "$recorder" mark gone | sed 's/at .*//'
      mkdir -m 700 run; await [ -S $sockets/default.sock ]
      "$recorder" mark back | sed 's/at .*//'; ls $state | grep sock
      await 'tail -n 1 watched | grep -q "marks.:2"'
      kill $watch; "$recorder" stop > /dev/null
      """)
    #expect(outcome == Outcome(code: 0, output: "Marked default \nMarked default \n", errors: ""))
    let last = try studio.run("tail -n 1 watched").output
    let watched = try parsed(last)["recordings"] as? [[String: Any]]
    #expect(watched?.first?["pid"] as? Int == process && watched?.first?["marks"] as? Int == 2)
    #expect(try studio.processes().isEmpty && studio.sockets().isEmpty)
  }

  @Test("A session that cannot be reached is listed as recording")
  func unreachable() throws {
    let studio = try Studio()
    let process = try studio.start("a.wav")
    let outcome = try studio.run(
      "kill -STOP \(process); rm -r $sockets; $recorder status; $recorder status --json")
    #expect(outcome.output.contains("default: recording, but not responding\n"))
    #expect(outcome.output.contains("kill -CONT \(process); recorder stop\n"))
    #expect(outcome.output.contains("\"unreachable\":[{\"id\""))
    #expect(try studio.run("kill -CONT \(process); $recorder stop").code == 0)
  }

  @Test("stop --all --json has a line for each result and for each session that does not answer")
  func unreachableAmongOthers() throws {
    let studio = try Studio()
    let process = try studio.start("--tolerate-gaps a.wav")
    let outcome = try studio.run(
      """
      start -n b b.wav > log; kill -STOP \(process); rm $sockets/default.sock
      "$recorder" stop --all --json; echo "code $?"
      """)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 3 && lines[2] == "code 1", "\(outcome)")
    #expect(try parsed(lines[0])["name"] as? String == "b", "\(outcome)")
    let error = try parsed(lines[1])["error"] as? [String: Any]
    #expect(error?["exit"] as? Int == 1, "\(outcome)")
    #expect((error?["message"] as? String)?.contains("not responding") == true, "\(outcome)")
    #expect(try studio.run("kill -CONT \(process); $recorder stop").code == 0)
  }
}
