import Foundation
import Support
import Testing

@Suite("A take in several files, from the command line", .timeLimit(.minutes(10)))
struct SeriesTests {
  /// Returns the files of a series in their order.
  private func files(of studio: Studio) throws -> [String] {
    try studio.run("ls -U a.wav $(ls a-*.wav)").output.split(separator: "\n").map(String.init)
  }

  /// Returns the ramp of some files, one after the other.
  private func ramp(_ names: [String], of studio: Studio) throws -> [UInt32] {
    try Array(studio.decoded(names).joined())
  }

  private func takes(of studio: Studio) throws -> [[String: Any]] {
    try #require(try studio.json("takes")["takes"] as? [[String: Any]])
  }

  @Test("A take that is split 50 times by hand, and also by time, is the whole ramp")
  func ramp() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start --split 1s a.wav > /dev/null
      n=0; while [ $n -lt 50 ]; do
        "$recorder" split > /dev/null || exit 1; moment 0.0$((n * 7 % 10)); n=$((n + 1))
      done
      "$recorder" stop --json
      """, limit: .seconds(90))
    #expect(outcome.code == 0, "\(outcome)")
    let result = try parsed(outcome.output)
    let total = try #require(result["total"] as? [String: Any])
    let names = try files(of: studio)
    #expect(names.count >= 51 && total["files"] as? Int == names.count)
    let numbers = try ramp(names, of: studio)
    #expect(firstBreak(in: numbers) == nil)
    #expect(numbers.count == (total["frames"] as? [String: Int])?["onDisk"])
    #expect(try takes(of: studio).compactMap { $0["segment"] as? Int } == Array(1...names.count))
    #expect(try studio.run("ls -A | grep -c part").output == "0\n")
  }

  @Test("A mark in a pause after a split is in the file before the pause")
  func markedInPause() throws {
    for format in ["wav", "flac", "caf"] {
      let studio = try Studio()
      let outcome = try studio.run(
        """
        start --split 1h a.\(format) > said; captured 0.3; "$recorder" pause > said; "$recorder" split > said
        "$recorder" mark here > /dev/null && "$recorder" stop --json; ls
        "$recorder" takes --json | grep -o '"marks":[0-9]*'
        """)
      #expect(outcome.code == 0 && outcome.output.contains("\na.\(format)\n"), "\(outcome)")
      #expect(outcome.output.hasSuffix("\"marks\":1\n"), "\(outcome)")
      let info = try #require(
        (try studio.json("info a.\(format)")["files"] as? [[String: Any]])?.first)
      let cues = info["marks"] as? [[String: Any]]
      #expect(cues?.first?["label"] as? String == "here", "\(info)")
    }
  }

  @Test(
    "Ended at a cut it ends in the last file that has something",
    arguments: [
      ("--split 1s --duration 2", 2, "duration"), ("--split 1s --duration 1", 1, "duration"),
      ("--split 1s --duration 2500ms", 3, "duration"),
    ])
  func endedAtCut(_ options: String, _ count: Int, _ reason: String) throws {
    let studio = try Studio()
    let outcome = try studio.run("start \(options) a.wav > /dev/null; $recorder wait --json")
    let result = try parsed(outcome.output)
    #expect(outcome.code == 0 && result["reason"] as? String == reason, "\(outcome)")
    let names = try files(of: studio)
    #expect(names.count == count)
    #expect(result["path"] as? String == studio.scratch.path(try #require(names.last)))
    if count > 1 { #expect((result["total"] as? [String: Any])?["files"] as? Int == count) }
    let takes = try takes(of: studio)
    #expect(takes.count == count && takes.allSatisfy { $0["exists"] as? Bool == true })
    let events = try #require(try studio.json("permission log")["events"] as? [[String: Any]])
    let frames = try ramp(names, of: studio).count
    #expect(events.last?["frames"] as? Int == frames, "\(events)")
    #expect(events.last?["duration"] as? Double == Double(frames) / 48_000)
  }

  @Test("A file without frames is not part of the take")
  func emptyLast() throws {
    let studio = try Studio()
    // A stop may come before or after the first frame that follows a split. In a pause it always
    // comes before that frame.
    let outcome = try studio.run(
      """
      start a.wav > /dev/null; captured 0.3; "$recorder" pause > /dev/null; "$recorder" split > /dev/null
      "$recorder" stop --json
      """)
    let result = try parsed(outcome.output)
    #expect(outcome.code == 0 && result["path"] as? String == studio.scratch.path("a.wav"))
    #expect(result["total"] == nil, "\(outcome)")
    #expect(try takes(of: studio).compactMap { $0["path"] as? String }.count == 1)
    #expect(try studio.run("ls -A | grep -c 'wav$'").output == "1\n")
    let text = try studio.run("$recorder takes")
    #expect(!text.output.contains("no file") && !text.output.contains("replaced"), "\(text)")
  }

  @Test("The end of a take of several files reports the pauses in its earlier files")
  func pauses() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start a.wav > /dev/null; captured 0.2; "$recorder" pause > /dev/null; moment 0.3
      "$recorder" resume > /dev/null; captured 0.3; "$recorder" split > /dev/null; "$recorder" stop
      """)
    let take = outcome.output.split(separator: "\n").first { $0.contains(" Take ") }
    #expect(
      take?.contains("in 2 files; 0:0") == true
        && take?.hasSuffix("left out in earlier files") == true, "\(outcome)")
  }

  @Test("The end of a take of several files counts the marks of all its files")
  func marks() throws {
    let studio = try Studio()
    let script = """
      captured 0.2; "$recorder" mark one > /dev/null; "$recorder" mark two > /dev/null
      "$recorder" split > /dev/null; captured 0.4; "$recorder" mark three > /dev/null
      "$recorder" stop
      """
    let text = try studio.run("start a.wav > /dev/null; " + script)
    #expect(text.output.contains(" in 2 files; 2 marks in earlier files\n"), "\(text)")
    let json = try studio.run("start b.wav > /dev/null; " + script + " --json")
    let result = try parsed(json.output)
    let total = try #require(result["total"] as? [String: Any])
    #expect(result["marks"] as? Int == 1 && total["marks"] as? Int == 3, "\(json)")
  }

  @Test("A split shows the file in which the recording continues")
  func shown() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      "start a.wav > /dev/null; captured 0.2; for n in 2 3 4; do $recorder split --json; done")
    let paths = try outcome.output.split(separator: "\n").map {
      try parsed(String($0))["path"] as? String
    }
    let expected = ["a-002.wav", "a-003.wav", "a-004.wav"].map { studio.scratch.path($0) }
    #expect(outcome.code == 0 && paths == expected, "\(outcome)")
    #expect(try studio.run("$recorder split").output.contains("/a-005.wav"))
  }

  @Test("A split during a pause says that the next file begins later")
  func splitInPause() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start a.wav > said; captured 0.2; "$recorder" split 2>&1 | grep -c 'when it resumes'
      "$recorder" pause > said; "$recorder" split 2>&1 > said | cat
      "$recorder" resume > said; captured +0.2; "$recorder" stop | grep -c a-003.wav
      """)
    #expect(
      outcome.output == """
        0
        recorder: the recording is paused; the next file begins when it resumes
        1

        """, "\(outcome)")
  }

  @Test(
    "Aligned, each file begins within a frame of the clock's second, and has just as many frames")
  func aligned() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      "start --split 1s --align clock --duration 4500ms a.wav > /dev/null; \"$recorder\" wait")
    #expect(outcome.code == 0, "\(outcome)")
    let takes = try takes(of: studio)
    #expect(takes.count >= 5)
    for take in takes.dropFirst() {
      let began = try #require(take["began"] as? String)
      let digits = String(began.drop { $0 != "." }.dropLast())
      let fraction = try #require(Double("0" + digits))
      #expect(min(fraction, 1 - fraction) < 1.0 / 48_000, "\(began)")
    }
    for take in takes.dropFirst().dropLast() {
      let frames = try #require((take["frames"] as? [String: Int])?["onDisk"])
      // The wall clock is slewed, and the clock of the ramp is not.
      #expect(abs(frames - 48_000) <= 24, "\(frames)")
    }
    let numbers = try ramp(files(of: studio), of: studio)
    #expect(numbers.elementsEqual(0..<216_000))
  }

  @Test("A killed take keeps its complete files, and the series continues with a free name")
  func killed() throws {
    let studio = try Studio()
    let process = try studio.start("--split 1s a.wav")
    try studio.run(
      """
      await '[ -s .a-003.wav.part ] && [ -e a-002.wav ]'; kill -KILL \(process); ended \(process)
      """)
    let before = try files(of: studio)
    #expect(before == ["a.wav", "a-002.wav"])
    let whole = try ramp(["a.wav", "a-002.wav"], of: studio)
    #expect(whole.elementsEqual(0..<96_000))
    let interrupted = try studio.json("status")["interrupted"] as? [[String: Any]]
    let parts = interrupted?.first?["parts"] as? [String]
    #expect(parts?.last == studio.scratch.path(".a-003.wav.part"))
    let outcome = try studio.run(
      "start --split 1s --duration 1500ms a.wav > /dev/null; \"$recorder\" wait > /dev/null; ls -A")
    #expect(outcome.code == 0, "\(outcome)")
    let names = outcome.output.split(separator: "\n").map(String.init)
    #expect(names.contains("a-004.wav") && names.contains("a-005.wav"), "\(names)")
    let part = names.first { $0 == ".a-003.wav.part" || $0.hasPrefix("a-003-recovered") }
    #expect(part != nil)
    #expect(try ramp(["a-004.wav", "a-005.wav"], of: studio).elementsEqual(0..<72_000))
    #expect(try ramp(["a.wav", "a-002.wav"], of: studio) == whole)
  }

  @Test("--keep deletes only files of the series that were not changed")
  func keep() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      mkdir log; echo mine > log/a-001.wav; start other.wav > /dev/null; "$recorder" stop > /dev/null
      start --split 1s --keep 2 log/a.wav > /dev/null; captured 1.6
      echo changed >> log/a-002.wav
      captured 4.6; "$recorder" stop > /dev/null; ls log other.wav
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let names = outcome.output.split(separator: "\n").map(String.init)
    #expect(names.contains("a-001.wav") && names.contains("other.wav"), "\(names)")
    #expect(names.contains("a-002.wav") && !names.contains("a-003.wav"), "\(names)")
    #expect(names.filter { $0.hasPrefix("a-") }.count == 4, "\(names)")
  }

  @Test("--keep numbers the files of several takes, and keeps the newest")
  func keepWithoutSplit() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      for n in 1 2 3; do start --keep 2 --duration 0.2 --foreground a.wav > said || exit 1; done
      ls *.wav
      """)
    #expect(outcome.code == 0 && outcome.output == "a-002.wav\na-003.wav\n", "\(outcome)")
  }

  @Test("Each file gets its name and directory from its time, and a number if the name is taken")
  func names() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start --split 1s --align clock '%Y/%H%M%S.wav' > /dev/null; captured 2.2
      "$recorder" split > /dev/null; captured +0.3; "$recorder" stop > /dev/null; ls */ | sort
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let names = outcome.output.split(separator: "\n").filter { $0.hasSuffix(".wav") }
    #expect(names.count >= 4 && names.contains { $0.contains("-002.wav") }, "\(names)")
  }

  @Test("If only the directory contains the time, the file in each directory has no number")
  func directories() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start --split 1s --align clock --duration 2500ms '%H%M%S/a.wav' > /dev/null
      "$recorder" wait > /dev/null; ls */ | grep wav$ | sort -u
      """)
    #expect(outcome.code == 0 && outcome.output == "a.wav\n", "\(outcome)")
  }

  @Test("A hook runs for each file and at the end, and has no LD_ variables")
  func hooks() throws {
    let studio = try Studio()
    try studio.scratch.write(
      """
      #!/bin/sh
      env | grep -c '^LD_' >> "$HOME/ld"
      echo "$RECORDER_TAKE_EVENT $RECORDER_TAKE_SEGMENT ${RECORDER_TAKE_PATH##*/} $RECORDER_TAKE_REASON" >> "$HOME/heard"
      """, to: "hook")
    let outcome = try studio.run(
      """
      chmod +x hook; export LD_LIBRARY_PATH=/nowhere
      start --on-segment ./hook --on-stop ./hook a.wav > /dev/null; captured +0.2
      "$recorder" split > /dev/null; captured +0.2; "$recorder" stop > /dev/null; await '[ "$(grep -c . heard)" = 3 ]'
      sort heard; sort -u ld
      """)
    #expect(
      outcome.output
        == "segment 1 a.wav split\nsegment 2 a-002.wav stopped\nstop 2 a-002.wav stopped\n0\n",
      "\(outcome)")
  }

  @Test("A hook that hangs is killed with its child processes, and no command waits for it")
  func hangingHook() throws {
    let studio = try Studio()
    try studio.scratch.write(
      "#!/bin/sh\ntrap '' TERM\necho $$ > \"$HOME/pid\"\nsleep 300 &\nsleep 300\n", to: "hook")
    let ended = try studio.run(
      """
      chmod +x hook; "$recorder" hook --limit 300ms ./hook; code=$?
      ps -eo pgid=,stat= | grep "^ *$(cat pid) [^Z]"; exit $code
      """)
    #expect(ended.code == 1 && ended.output == "", "\(ended)")
    #expect(ended.errors.contains("was stopped, because it ran for longer"))
    let began = Date()
    let outcome = try studio.run(
      """
      rm pid; start --on-stop ./hook a.wav > /dev/null; "$recorder" stop > /dev/null
      start b.wav > /dev/null && "$recorder" stop > /dev/null; code=$?
      await [ -s pid ]; kill -KILL -$(cat pid); exit $code
      """)
    #expect(outcome.code == 0 && Date().timeIntervalSince(began) < 20, "\(outcome)")
  }

  @Test(
    "A program may hang for 60 s while its take and other recordings continue",
    .requires("RECORDER_TEST_EVERY"))
  func realMinute() throws {
    let studio = try Studio()
    try studio.scratch.write(
      """
      #!/bin/sh
      trap '' TERM
      echo "$RECORDER_TAKE_SEGMENT" >> "$HOME/heard"
      [ "$RECORDER_TAKE_SEGMENT" = 1 ] || exit 0
      echo $$ > "$HOME/pid"; date +%s.%N > "$HOME/began"; sleep 300
      """, to: "hook")
    let outcome = try studio.run(
      """
      chmod +x hook; start --split 10s --duration 45s --on-segment ./hook a.wav > /dev/null
      await [ -s began ]
      start --name other --duration 1s b.wav > /dev/null && "$recorder" wait other > /dev/null
      echo $?; "$recorder" wait > /dev/null; echo $?; sort -n heard | tr '\n' ' '; echo
      kill -0 $(cat pid) && echo hangs; limit=90 ended $(cat pid)
      awk "BEGIN { print $(date +%s.%N) - $(cat began) }"; cat $state/sessions/default.log
      """, limit: .seconds(150))
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.prefix(4) == ["0", "0", "1 2 3 4 5 ", "hangs"], "\(outcome)")
    let seconds = try #require(Double(lines.dropFirst(4).first ?? ""))
    print("a program that hangs was ended after \(seconds) s")
    // The program ignores the first signal, and gets two more seconds.
    #expect((60..<66).contains(seconds), "\(outcome)")
    #expect(outcome.output.contains("was stopped, because it ran for longer than 60 s"))
    #expect(try ramp(files(of: studio), of: studio).elementsEqual(0..<2_160_000))
  }

  @Test("Two recordings cannot write to one file, even with --force")
  func oneFile() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start --name one a.wav > /dev/null; start --name two a.wav; echo $?
      start --name two --force a.wav; echo $?; "$recorder" stop one > /dev/null; ls -A | grep wav
      """)
    #expect(outcome.output == "11\n11\na.wav\n", "\(outcome)")
    #expect(outcome.errors.contains("the recording \"one\" is writing to it"), "\(outcome)")
  }

  @Test(
    "What makes no sense is refused by its code",
    arguments: [
      ("start --align clock a.wav", 64), ("start --split 10ms a.wav", 64),
      ("start --split 1s --force a.wav", 64), ("start --split 1s -", 64),
      ("start --keep 2 --force a.wav", 64),
      ("start --keep 0 a.wav", 64), ("start --on-stop /nowhere/x a.wav", 64),
      ("start --split 1s --align hour a.wav", 64), ("$recorder split", 10),
      ("$recorder status --prometheus --json", 64),
    ])
  func refusals(line: String, code: Int) throws {
    let studio = try Studio()
    let outcome = try studio.run(line)
    #expect(outcome.code == Int32(code) && outcome.errors.hasPrefix("recorder: "), "\(outcome)")
  }

  @Test("Prometheus can read the status of a recording")
  func prometheus() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      "start a.wav > /dev/null; captured 0.2; $recorder status --prometheus")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.contains("recorder_recordings 1"), "\(outcome)")
    #expect(lines.contains("recorder_state{name=\"default\",state=\"recording\"} 1"))
    #expect(
      lines.contains { $0.hasPrefix("recorder_frames_total{name=\"default\",kind=\"captured\"} ") })
    for line in lines where !line.hasPrefix("# ") {
      #expect(
        line.wholeMatch(of: /recorder_[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [-0-9.e+]+/)
          != nil)
    }
  }

  @Test("systemd accepts the example units", .requires(tool: "systemd-analyze"))
  func units() throws {
    let studio = try Studio()
    let examples = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/examples").path
    let outcome = try studio.run(
      """
      mkdir units; cd units
      # Those of the role are for the system, and Tests/Fleet fills them in.
      find '\(examples)' -name templates -prune -o \\( -name '*.service' -o -name '*.timer' \\) -exec cp {} . \\;
      printf '#!/bin/sh\\n' > stream; chmod +x stream
      sed -i "s,/usr/local/bin/recorder,$recorder,; s,/usr/local/bin/stream-to-icecast,$PWD/stream," *.service
      # Units of other programs have sockets in this directory, and a socket needs a short path.
      XDG_RUNTIME_DIR=/run systemd-analyze --user verify ./*.service ./*.timer
      """)
    #expect(outcome == Outcome(code: 0, output: "", errors: ""))
  }
}
