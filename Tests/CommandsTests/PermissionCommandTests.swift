import Audio
import Linux
import Support
import Testing

@testable import Commands
@testable import Permission
@testable import Store

@Suite("Permission commands")
struct PermissionCommandTests {
  private func arguments(_ line: String) throws -> Arguments {
    let words = line.split(separator: " ").map(String.init)
    return try Parser.parse(words, by: .standard).arguments
  }

  private func term(_ options: String) throws -> GrantTerm {
    try PermissionGrantCommand.term(
      arguments("permission grant " + options),
      now: #require(WallTime(rfc3339: "2026-03-01T09:00:00Z")))
  }

  @Test("Every limit of a grant is accepted, but only one at a time")
  func terms() throws {
    #expect(try term("") == .forever)
    #expect(try term("--once") == .once)
    #expect(try term("--for 1h30m") == .lasting(.seconds(5_400)))
    #expect(throws: Failure.self) { try term("--once --for 1h") }
    #expect(throws: Failure.self) { try term("--until 2026-03-01T08:00") }
    #expect(throws: Failure.self) { try term("--until 2027-03-01T08:00") }
  }

  @Test("A limit that no grant may have is a usage error", arguments: ["9s", "31d", "0", "-1"])
  func lengths(text: String) {
    #expect(throws: UsageError.self) { try arguments("permission grant --for \(text)") }
  }

  @Test("The services are words of the commands, in upper or lower case")
  func services() throws {
    for verb in ["grant", "request", "status", "revoke", "reset"] {
      let found = try ["microphone", "system-audio", "System-Audio", ""].map { word in
        try arguments("permission \(verb) \(word)")[MicrophoneAccess.service].first
      }
      #expect(found == [.microphone, .systemAudio, .systemAudio, nil])
    }
    for word in ["systemAudio", "system", "camera"] {
      #expect(throws: UsageError.self) { try arguments("permission grant \(word)") }
    }
    #expect(throws: UsageError.self) { try arguments("permission grant microphone system-audio") }
  }

  @Test("A track without permission is not in use, and a service has only its own tracks")
  func uses() {
    var record = SessionRecord(
      identifier: "a", name: "call", process: 7, device: "", path: nil, began: .zero)
    record.tracks = [Track(name: "mic", device: "default"), Track(name: "far", device: "output")]
    func devices(_ service: Service?) -> String? {
      Listener(.recording, record).using(service)?.record.tracks.devices
    }
    #expect(devices(nil) == "default, output")
    #expect(devices(.systemAudio) == "output")
    record.tracks[1].ended = .permission
    #expect(devices(nil) == "default" && devices(.microphone) == "default")
    #expect(devices(.systemAudio) == nil)
  }

  @Test("A name that no client can have is a usage error", arguments: ["A", "a/b", "ä", "a:b"])
  func clients(name: String) {
    #expect(throws: UsageError.self) { try arguments("permission status --as \(name)") }
  }

  @Test("A time of day means its next occurrence, today or tomorrow")
  func timeOfDay() throws {
    let now = try #require(WallTime(local: "2026-03-01T09:30"))
    let cases = [
      ("09:31", "2026-03-01T09:31"), ("9:31", "2026-03-01T09:31"), ("09:30", "2026-03-02T09:30"),
      ("00:00", "2026-03-02T00:00"),
      ("23:59", "2026-03-01T23:59"), ("2026-03-01T09:29", "2026-03-01T09:29"),
    ]
    for (text, moment) in cases {
      #expect(try LocalMoment(argument: text).next(after: now) == WallTime(local: moment))
    }
  }

  @Test("A time of day that the clock shows twice means its next occurrence")
  func timeOfDayTwice() async {
    await #expect(processExitsWith: .success) {
      // On 2026-10-25, the clock shows the hour from 01:00 at 00:00 and at 01:00 in UTC.
      setTimeZone("GMT0BST,M3.5.0/1,M10.5.0")
      for (now, text, moment) in [
        ("2026-10-25T00:20:00Z", "01:30", "2026-10-25T00:30:00Z"),
        ("2026-10-25T00:40:00Z", "01:30", "2026-10-25T01:30:00Z"),
        ("2026-10-25T01:20:00Z", "01:30", "2026-10-25T01:30:00Z"),
        ("2026-10-25T01:40:00Z", "01:30", "2026-10-26T01:30:00Z"),
        ("2026-10-25T00:20:00Z", "2026-10-25T01:30", "2026-10-25T00:30:00Z"),
        ("2026-10-25T00:40:00Z", "2026-10-25T01:30", "2026-10-25T01:30:00Z"),
        ("2026-10-25T01:40:00Z", "2026-10-25T01:30", "2026-10-25T01:30:00Z"),
      ] {
        let now = try #require(WallTime(rfc3339: now))
        #expect(try LocalMoment(argument: text).next(after: now)?.rfc3339 == moment, "\(now)")
      }
    }
  }

  @Test(
    "What is no time is refused", arguments: ["9:3", "09:60", "24:00", "2026-02-30T10:00", "x"])
  func noTimes(text: String) throws {
    let now = try #require(WallTime(local: "2026-03-01T09:30"))
    #expect((try? LocalMoment(argument: text).next(after: now)) == nil)
  }

  @Test("The verbs of a family that is also a command are parsed as commands")
  func overview() throws {
    for (line, name) in [
      ("permission", "permission"), ("permission status", "permission status"),
      ("permission policy check a.json", "permission policy check"),
    ] {
      let words = line.split(separator: " ").map(String.init)
      guard case .run(let command) = try Parser.parse(words, by: .standard).action else {
        Issue.record("\(line) runs nothing")
        continue
      }
      #expect(command.name == name)
    }
    #expect(throws: UsageError.unknownCommand("permission grnt", nearest: ["permission grant"])) {
      try Parser.parse(["permission", "grnt"], by: .standard)
    }
  }

  @Test("The log keeps the space between two details in a narrow terminal", arguments: [40, 80])
  func narrowLog(width: Int) throws {
    let line =
      #"{"time":"2026-03-01T09:00:00Z","event":"start","to":"authorized","#
      + #""service":"microphone","client":"zoom","device":"test:ramp","output":"/home/kim/a.wav","pid":7}"#
    let entry = try #require(AuditLog.Entry(line: Array(line.utf8)[...]))
    var report = PermissionLogReport(log: AuditLog(entries: [entry], damaged: 0), since: nil)
    report.width = width
    let lines = report.text(.plain).split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  ") }, "\(lines)")
    // No line ends within a detail, and details on one line have two spaces between them.
    let details = [
      "service microphone", "client zoom", "device test:ramp", "output /home/kim/a.wav",
    ]
    for detail in details { #expect(lines.contains { $0.contains(detail) }, "\(lines)") }
    #expect(lines.contains { $0.contains("service microphone  client zoom") }, "\(lines)")
  }

  @Test(
    "The log has the words of the status, and leaves out a client that stands for every program",
    arguments: [
      (#""from":"notDetermined","to":"authorized","client":"*""#, "not decided yet → allowed"),
      (#""from":"authorized","to":"denied","reason":"user""#, "allowed → refused  reason user"),
      (
        #""to":"restricted","reason":"policyUnusable""#,
        "forbidden by a policy  reason untrusted policy"
      ),
      (#""to":"denied","client":"zoom""#, "refused  client zoom"), (#""to":"later""#, "later"),
    ])
  func logWords(members: String, words: String) throws {
    let line = #"{"time":"2026-03-01T09:00:00Z","event":"grant",\#(members)}"#
    let entry = try #require(AuditLog.Entry(line: Array(line.utf8)[...]))
    #expect(entry.text.hasSuffix("  grant  " + words))
  }

  @Test("The help of the status says that the permission is advisory")
  func advisory() {
    #expect(CommandPage(command: PermissionStatusCommand.command).text(.plain).contains("advisory"))
  }
}
