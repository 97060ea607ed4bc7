import Foundation
import Support
import Testing

@Suite("Decisions about other programs")
struct ProgramDecisionTests {
  /// Makes programs that do nothing, and the function `p`, which prints the exit code of a command
  /// on a line.
  private static let programs = """
    cd "$HOME"
    for d in a b; do mkdir $d; cp /bin/true $d/cap; done; cp /bin/true a/only; ln -s only a/link
    p() { "$recorder" permission "$@" > out 2> err; echo $?; }

    """

  private func run(_ script: String) throws -> (home: String, outcome: Outcome) {
    let scratch = try ScratchDirectory()
    let outcome = try sh(Self.programs + script, environment: scratch.asHome)
    return (scratch.path, outcome)
  }

  @Test("A program is named by its path, by its name in PATH or by an identifier")
  func names() throws {
    let (home, outcome) = try run(
      """
      PATH="$HOME/a:$PATH"; p grant --program only; cat out; p status --program "$HOME/a/only"
      p status --program a/only; p status --program path:"$HOME/a/only"; p status; p status --as only
      p revoke --program only; p status --program only; p reset --program only
      p status --program only; p grant --program flatpak:org.example.App --for 1h
      p status --program flatpak:org.example.App; p status --program org.example.App
      p grant --program snap:audacity --once; p status --program audacity
      """)
    let text = outcome.output.oneLine
    let granted = "0 Microphone access is allowed for the program \"\(home)/a/only\" until"
    #expect(text.hasPrefix(granted), "\(outcome)")
    #expect(text.contains("To refuse it: recorder permission revoke --program \(home)/a/only "))
    #expect(text.hasSuffix(" 0 0 0 20 20 0 21 0 20 0 0 0 0 0"), "\(outcome)")
  }

  @Test("A symbolic link means the program that it leads to, and the output says so")
  func links() throws {
    let (home, outcome) = try run(
      """
      PATH="$HOME/a:$PATH"; p grant --program link; cat err; p status --program only; cat err
      ln -s a c; p status --program "$HOME/c/only"; cat err; p status --program c/link; cat err
      """)
    let notes = ["a/link", "c/only", "c/link"].map {
      "recorder: \"\(home)/\($0)\" leads to \"\(home)/a/only\"; the command applies to that program\n"
    }
    #expect(outcome.output == "0\n\(notes[0])0\n0\n\(notes[1])0\n\(notes[2])", "\(outcome)")
  }

  @Test("A name that several known programs have is a usage error that lists them")
  func ambiguous() throws {
    let (home, outcome) = try run(
      """
      for d in a b; do p grant --program $d/cap; done
      for verb in grant revoke reset status log; do p $verb --program cap; cat err; done
      p revoke --program "$HOME/a/cap"; p status --program "$HOME/b/cap"
      rm a/cap; p status --program "$HOME/a/cap"
      """)
    let refusal = """
      64
      recorder: several programs are called "cap"; give one of these:
      recorder: --program \(home)/a/cap
      recorder: --program \(home)/b/cap

      """
    let expected = "0\n0\n" + String(repeating: refusal, count: 5) + "0\n0\n21\n"
    #expect(outcome.output == expected, "\(outcome)")
  }

  @Test(
    "What names no program, or is given together with another client, is refused",
    arguments: [
      ("status --program nothing-here", 10), ("grant --program /none/x", 10),
      ("grant --program a", 10), ("grant --program ./a", 10), ("grant --program out", 10),
      ("grant --program flatpak:a/b", 64), ("grant --program path:a", 64),
      ("grant --program ''", 64), ("grant --all-programs", 64), ("request --program a/only", 64),
      ("status --as x --program a/only", 64), ("revoke --as x --all-programs", 64),
      ("reset --program a/only --all-programs", 64),
    ])
  func refused(line: String, code: Int) throws {
    let outcome = try run("p \(line); ls .local/state/recorder 2> /dev/null").outcome
    #expect(outcome.output == "\(code)\n", "\(outcome)")
  }

  @Test("A refusal of all programs is lifted by its reset, and does not bind recorder")
  func allPrograms() throws {
    let (home, outcome) = try run(
      """
      p grant; p grant --program a/cap; p revoke --all-programs; cat out
      p status --program a/cap; p status --all-programs; p status; p grant --program a/cap; cat err
      p reset --all-programs; cat out; p status --program a/cap; p status --all-programs; p status
      """)
    let text = outcome.output.oneLine
    let parts = [
      "0 0 0 Access to the microphone and to system audio is refused for every program from now on. "
        + "To lift that: recorder permission reset --all-programs ",
      " recorder itself may still record. To refuse that: recorder permission revoke "
        + "21 21 0 21 recorder: the grant is stored, but microphone access is still refused by you "
        + "recorder: Access was refused for every program on 2",
      " recorder: To allow it: recorder permission reset microphone --all-programs, and then "
        + "recorder permission grant --program \(home)/a/cap ",
      " 0 The 3 stored decisions for every program were removed. "
        + "recorder guard treats every program as undecided now. ",
    ]
    #expect(text.hasPrefix(parts[0]), "\(outcome)")
    for part in parts { #expect(text.contains(part), "\(outcome)") }
    #expect(text.hasSuffix(" 20 20 0"), "\(outcome)")
  }

  @Test("The decisions of recorder and of programs do not change each other")
  func separate() throws {
    let outcome = try run(
      """
      p grant; p grant --as cap; p grant --program a/cap; p revoke; p status --program a/cap; p status
      p reset; p status --program a/cap; export RECORDER_PERMISSION=deny; p status --program a/cap
      p status; "$recorder" permission status --json --program a/cap; ls .local/state/recorder/*.json
      """
    ).outcome
    let lines = outcome.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 13, "\(outcome)")
    #expect(lines.prefix(10).joined(separator: " ") == "0 0 0 0 0 21 0 0 0 21", "\(outcome)")
    let json = try parsed(lines[10])
    #expect((json["client"] as? String)?.hasSuffix("/a/cap") == true)
    #expect(json["status"] as? String == "authorized" && (json["inUse"] as? [Any])?.isEmpty == true)
    #expect(lines[11].hasSuffix("/permissions.json") && lines[12].hasSuffix("/programs.json"))
  }

  @Test("The list has every program that asked or has a decision, the last used one first")
  func list() throws {
    let (home, outcome) = try run(
      """
      log=.local/state/recorder/audit.jsonl
      use() {
        printf '{"time":"%s","boottime":1,"event":"%s","uid":0,"pid":7,"ppid":1,' "$1" "$2"
        printf '"service":"microphone","client":"%s"}\\n' "$3"
      }
      "$recorder" permission list; "$recorder" permission list --json
      p grant --program a/cap; p revoke system-audio --program flatpak:org.example.App
      p grant --as dictation
      use 2026-03-01T09:00:00Z start "path:$HOME/a/cap" >> $log
      use 2026-03-02T09:00:00Z refuse snap:zoom >> $log
      use 2026-03-03T09:00:00Z start '*' >> $log
      "$recorder" permission list; "$recorder" permission list --json
      p status --program zoom
      """)
    let json = """
      {"client":"snap:zoom","microphone":"notDetermined","systemAudio":"notDetermined",\
      "lastUse":"2026-03-02T09:00:00Z"},{"client":"path:\(home)/a/cap",\
      "microphone":"authorized","systemAudio":"notDetermined","lastUse":"2026-03-01T09:00:00Z"},\
      {"client":"flatpak:org.example.App","microphone":"notDetermined","systemAudio":"denied"}
      """
    #expect(
      outcome.output == """
        No other program has asked to record, and none has a decision.
        For recorder itself: recorder permission
        {"schema":2,"programs":[]}
        0
        0
        0
        Last use             Microphone       System audio     Program
        2026-03-02 09:00:00  not decided yet  not decided yet  snap:zoom
        2026-03-01 09:00:00  allowed          not decided yet  \(home)/a/cap
        never                not decided yet  refused          flatpak:org.example.App
        {"schema":2,"programs":[\(json)]}
        20

        """, "\(outcome)")
  }

  @Test("The log can be limited to one program")
  func log() throws {
    let (home, outcome) = try run(
      """
      p grant; p grant --program a/cap; p revoke --program b/cap --json; p grant --as cap
      "$recorder" permission log --program "$HOME/a/cap"
      "$recorder" permission log --json --program "$HOME/b/cap"
      """)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 6, "\(outcome)")
    #expect(lines[4].contains("  grant  not decided yet → allowed  "), "\(lines)")
    #expect(lines[4].contains("  client path:\(home)/a/cap  "), "\(lines)")
    let events = try parsed(lines[5])["events"] as? [[String: Any]]
    #expect(events?.map { $0["event"] as? String } == ["revoke", "revoke"])
    #expect(events?.first?["client"] as? String == "path:\(home)/b/cap")
  }

  @Test("A damaged file of programs is named with the command that moves it away")
  func damaged() throws {
    let (home, outcome) = try run(
      """
      p grant; p grant --program a/cap; echo x >> .local/state/recorder/programs.json
      p status --program a/cap; cat out; p status; p reset --force; p status --program a/cap
      p reset --all-programs --force; p status --program a/cap; p status
      ls .local/state/recorder
      """)
    let text = outcome.output.oneLine
    #expect(text.hasPrefix("0 0 23 Microphone for \(home)/a/cap: refused, because "), "\(outcome)")
    #expect(text.contains("\"\(home)/.local/state/recorder/programs.json\""), "\(outcome)")
    #expect(text.contains(": recorder permission reset --force --all-programs "), "\(outcome)")
    #expect(text.contains(" 0 0 23 0 20 20 "), "\(outcome)")
    #expect(text.contains("programs.json.bad-2"))
  }

  @Test("Completion offers the known programs")
  func completion() throws {
    let (home, outcome) = try run(
      """
      p grant --program a/cap; p revoke --program snap:zoom; p grant --as dictation
      "$recorder" complete -- permission revoke --program ''
      """)
    let offered = "\(home)/a/cap\thas a decision\nsnap:zoom\thas a decision\n"
    #expect(outcome.output == "0\n0\n0\n" + offered, "\(outcome)")
  }
}

extension String {
  /// The words of a text whose lines may be wrapped anywhere.
  var oneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
