import Linux
import Testing

@testable import Commands
@testable import Permission

@Suite("Commands about other programs")
struct ProgramCommandTests {
  private func arguments(_ line: String) throws -> Arguments {
    let words = line.split(separator: " ").map(String.init)
    return try Parser.parse(words, by: .standard).arguments
  }

  private func situation(
    _ client: Client, _ records: Records = [:]
  ) -> Situation {
    let owner = StoreOwner(user: 0, machine: "m")
    let ledger = Ledger(generation: 1, owner: owner, records: records, kind: .program)
    return Situation(
      records: .ledger(ledger),
      clock: ClockReading(boottime: .seconds(5), wall: WallTime(seconds: 1_767_225_600), boot: "b"),
      account: Account(id: 0, name: "root", groups: []), owner: owner, client: client)
  }

  private func program(
    _ identifier: String, _ records: Records = [:], lastUse: WallTime? = nil
  ) throws -> KnownProgram {
    let client = try #require(Client(program: identifier))
    let situation = situation(client, records).about(Set(Service.allCases))
    return KnownProgram(
      client: client, statuses: situation.decisions.map(\.status), lastUse: lastUse)
  }

  private let denial = Record(.denied, at: WallTime(seconds: 1_767_225_600), by: .command)

  @Test(
    "--program takes a path, a name or an identifier",
    arguments: [
      ("/usr/bin/a", true), ("a", true), ("./a", true), ("*", true), ("path:/a", true),
      ("flatpak:org.a.B", true), ("snap:a", true), ("path:a", false), ("flatpak:", false),
      ("snap:a/b", false),
    ])
  func names(text: String, isValid: Bool) {
    for verb in ["grant", "revoke", "reset", "status", "log"] {
      let name = try? arguments("permission \(verb) --program \(text)")[MicrophoneAccess.program]
      #expect(name?.text == (isValid ? text : nil), "\(verb)")
    }
    #expect(throws: UsageError.self) { try arguments("permission request --program \(text)") }
  }

  @Test(
    "--as never takes the identifier of a program", arguments: ["path:/a", "snap:a", "program:*"])
  func callers(name: String) {
    #expect(throws: UsageError.self) { try arguments("permission status --as \(name)") }
    #expect(throws: UsageError.self) { try arguments("start --as \(name) a.wav") }
  }

  @Test("All programs can be refused, but not allowed")
  func allPrograms() throws {
    for verb in ["revoke", "reset", "status"] {
      #expect(try arguments("permission \(verb) --all-programs")[MicrophoneAccess.allPrograms])
    }
    for verb in ["grant", "request", "log", "list"] {
      #expect(throws: UsageError.self) { try arguments("permission \(verb) --all-programs") }
    }
  }

  @Test(
    "The words for a client have the option that selects it",
    arguments: [
      (
        "path:/usr/bin/pw-cat", " for the program \"/usr/bin/pw-cat\"", " --program /usr/bin/pw-cat"
      ),
      ("path:/a b", " for the program \"/a b\"", " --program '/a b'"),
      ("path:/\u{1B}", " for the program \"/\\x1B\"", " --program '/\\x1B'"),
      ("snap:a", " for the program \"snap:a\"", " --program snap:a"),
    ])
  func words(identifier: String, purpose: String, option: String) throws {
    let client = try #require(Client(program: identifier))
    #expect(client.purpose == purpose && client.option == option)
  }

  @Test("The words for callers and for all clients of a kind name their options")
  func otherWords() throws {
    let dictation = try #require(Client("dictation"))
    #expect(dictation.purpose == " for the program \"dictation\"")
    #expect(dictation.option == " --as dictation")
    #expect(Client.everyone.purpose == "" && Client.everyone.option == "")
    #expect(Client.allPrograms.purpose == " for every program")
    #expect(Client.allPrograms.option == " --all-programs")
  }

  @Test("Advice about a program names only commands that exist")
  func advice() throws {
    let client = try #require(Client(path: "/usr/bin/pw-cat"))
    let records: Records = [Subject(.microphone, .allPrograms): denial]
    let cases: [(Client, Records, [String])] = [
      (client, [:], ["To allow it: recorder permission grant --program /usr/bin/pw-cat"]),
      (
        client, [Subject(.microphone, client): denial],
        [
          "To allow it: recorder permission grant --program /usr/bin/pw-cat",
          "To be asked again: recorder permission reset --program /usr/bin/pw-cat",
        ]
      ),
      (
        client, records,
        [
          "To allow it: recorder permission reset --all-programs, "
            + "and then recorder permission grant --program /usr/bin/pw-cat"
        ]
      ),
      (.allPrograms, records, ["To lift that: recorder permission reset --all-programs"]),
      (.allPrograms, [:], []),
    ]
    for (client, records, expected) in cases {
      let advice = MicrophoneAccess.phrasing.advice(in: situation(client, records))
      #expect(advice == expected)
    }
  }

  @Test("The remedy for a damaged file has --all-programs only for the files of programs")
  func remedies() {
    for (path, remedy) in [
      ("/s/permissions.json", "reset --force"), ("/s/grants/m.json", "reset --force"),
      ("/s/programs.json", "reset --force --all-programs"),
      ("/s/program-grants/m.json", "reset --force --all-programs"),
      ("/programs.d/permissions.json", "reset --force"),
    ] {
      #expect(TrustFault.file(path, .checksum).remedy.hasSuffix(": recorder permission " + remedy))
    }
  }

  @Test(
    "Only a file whose mode forbids reading needs another mode",
    arguments: [
      (Errno.accessDenied, "type: chmod u+r /s/permissions.json"),
      (.inputOutput, "move it away and decide again: recorder permission reset --force"),
    ])
  func unreadable(errno: Errno, remedy: String) {
    let path = "/s/permissions.json"
    let error = SystemError("openat", path, errno: errno)
    #expect(TrustFault.file(path, .unreadable(error)).remedy == remedy)
  }

  @Test("The list has a row for each program, escaped for a terminal")
  func list() throws {
    let time = WallTime(seconds: 1_767_225_600)
    let report = PermissionListReport(programs: [
      try program(
        "path:/opt/\u{1B}[31m\n", [Subject(.systemAudio, .allPrograms): denial], lastUse: time),
      try program("flatpak:org.a.B", [Subject(.microphone, .allPrograms): denial]),
    ])
    let moment = localTime(of: time.sinceEpoch)
    #expect(
      report.shown(.plain) == """
        Last use             Microphone       System audio     Program
        \(moment)  not decided yet  refused          /opt/\\x1B[31m\\n
        never                refused          not decided yet  flatpak:org.a.B

        """)
    #expect(
      report.encoded.hasPrefix(#"{"schema":2,"programs":[{"client":"path:/opt/\u001b[31m\n","#))
    #expect(report.encoded.contains(#""systemAudio":"denied","lastUse":"2026-01-01T00:00:00Z"}"#))
    #expect(
      report.encoded.hasSuffix(#""microphone":"denied","systemAudio":"notDetermined"}]}"# + "\n"))
    var live = try program("snap:a")
    live.isRecording = true
    let recording = PermissionListReport(programs: [live])
    #expect(recording.shown(.plain).contains("\nnow       not decided yet  not decided"))
    #expect(recording.encoded.contains(#""systemAudio":"notDetermined","recording":true}"#))
    #expect(!report.encoded.contains("recording"))
    #expect(
      PermissionListReport(programs: []).text(.plain)
        == "No other program has asked to record, and none has a decision.\n"
        + "For recorder itself: recorder permission\n")
  }
}
