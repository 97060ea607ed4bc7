import Foundation
import Linux
import Testing

@testable import Permission

@Suite("The list of programs")
struct KnownProgramTests {
  private func authority(_ scratch: Scratch, after seconds: Int64 = 0) -> Authority {
    scratch.authority { ClockReading.morning.later(.seconds(seconds)) }
  }

  private func record(
    _ kind: AuditEvent.Kind, _ client: Client, after seconds: Int64, _ scratch: Scratch
  ) {
    let authority = authority(scratch, after: seconds)
    let query = AccessQuery([.microphone], client: client)
    #expect(authority.record(kind, query, authority.situation(query).decisions) == nil)
  }

  @Test("Programs with a use or a decision are listed, the last used one first")
  func list() throws {
    let scratch = try Scratch()
    #expect(try authority(scratch).programs().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: scratch.store.path), "reading writes nothing")
    let odd = known(Client(path: "/opt/\"odd\"\\ \u{1B}\n\u{202E}ä\",\"client\":\"path:/x"))
    record(.refuse, .firefox, after: 10, scratch)
    record(.start, odd, after: 20, scratch)
    record(.stop, .dictation, after: 30, scratch)
    record(.stop, .firefox, after: 40, scratch)
    for client in [Client.zoom, known(Client(program: "snap:audacity")), .allPrograms] {
      _ = try authority(scratch, after: 50).perform(
        .revoke, AccessQuery(Set(Service.allCases), client: client))
    }
    let forgotten = AccessQuery(client: known(Client(path: "/usr/bin/forgotten")))
    _ = try authority(scratch).perform(.grant(.forever), forgotten)
    _ = try authority(scratch).perform(.reset(force: false), forgotten)
    let programs = try authority(scratch).programs()
    #expect(
      programs.map(\.client.name) == [
        "path:/usr/bin/firefox", odd.name, "flatpak:us.zoom.Zoom", "snap:audacity",
      ])
    let start = ClockReading.morning.wall
    #expect(programs.map(\.lastUse) == [start + .seconds(40), start + .seconds(20), nil, nil])
    #expect(programs.allSatisfy { $0.statuses == [.denied, .denied] })
  }

  @Test(
    "The list has the status that each program gets",
    arguments: [
      PolicyFileTests.empty, PolicyFileTests.authorizing, PolicyFileTests.restricting, "{",
    ])
  func statuses(policy: String) throws {
    let commands: [PermissionCommand] = [
      .grant(.forever), .revoke, .grant(.once), .grant(.lasting(.seconds(10))),
    ]
    for others in [PermissionCommand.status, .revoke, .grant(.forever)] {
      let scratch = try Scratch()
      record(.start, .firefox, after: 0, scratch)
      for (number, command) in commands.enumerated() {
        let client = known(Client(program: "snap:\(number)"))
        _ = try authority(scratch).perform(command, AccessQuery(client: client))
      }
      for service in Service.allCases {
        _ = try authority(scratch).perform(others, AccessQuery([service], client: .allPrograms))
      }
      try scratch.policy(policy)
      let later = authority(scratch, after: 60)
      let programs = try later.programs()
      #expect(programs.count == 5 || others == .revoke)
      for program in programs {
        let query = AccessQuery(Set(Service.allCases), client: program.client)
        #expect(program.statuses == later.situation(query).decisions.map(\.status))
      }
    }
  }

  @Test("Programs that are recording are first, also those without a use or a decision")
  func recording() throws {
    let scratch = try Scratch()
    record(.start, .firefox, after: 0, scratch)
    record(.start, .zoom, after: 10, scratch)
    let sox = known(Client(path: "/usr/bin/sox"))
    let programs = try authority(scratch).programs(recording: [.firefox, sox])
    #expect(programs.map(\.client) == [.firefox, sox, .zoom])
    #expect(programs.map(\.isRecording) == [true, true, false] && programs[1].lastUse == nil)
    #expect(programs[1].statuses == [.notDetermined, .notDetermined])
  }

  @Test("The last use is found in the newest of the rotated files")
  func rotated() throws {
    let scratch = try Scratch()
    for number in 0..<5 { record(.start, .firefox, after: Int64(number), scratch) }
    let log = scratch.store.path + "/audit.jsonl"
    try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
    record(.start, .zoom, after: 100, scratch)
    record(.start, .firefox, after: 50, scratch)
    try FileManager.default.moveItem(atPath: log + ".1", toPath: log + ".2")
    let programs = try authority(scratch).programs()
    let start = ClockReading.morning.wall
    #expect(programs.map(\.client) == [.zoom, .firefox])
    #expect(programs.map(\.lastUse) == [start + .seconds(100), start + .seconds(50)])
  }

  @Test("A line that is damaged or cut short hides no other line")
  func damaged() throws {
    let scratch = try Scratch()
    record(.start, .firefox, after: 1, scratch)
    let log = scratch.store.path + "/audit.jsonl"
    let whole = try Data(contentsOf: URL(fileURLWithPath: log))
    for cut in [1, 20, 60, whole.count / 2, whole.count - 20] {
      try scratch.write(whole.prefix(cut) + Data("\n\\\n\"client\":\"path:/\\\n".utf8), to: log)
      record(.start, .zoom, after: 2, scratch)
      let programs = try authority(scratch).programs()
      #expect(programs.contains { $0.client == .zoom && $0.lastUse != nil }, "\(cut)")
    }
  }

  @Test("Known programs are found by their base name")
  func called() throws {
    let scratch = try Scratch()
    let second = known(Client(path: "/opt/firefox/firefox"))
    record(.start, second, after: 0, scratch)
    _ = try authority(scratch).perform(.revoke, AccessQuery(client: .firefox))
    _ = try authority(scratch).perform(.revoke, AccessQuery(client: .zoom))
    #expect(authority(scratch).programs(called: "firefox") == [second, .firefox])
    #expect(authority(scratch).programs(called: "us.zoom.Zoom") == [.zoom])
    #expect(authority(scratch).programs(called: "fire").isEmpty)
  }

  @Test("An event can have the facts of another process, and a path of any length is read back")
  func facts() throws {
    let scratch = try Scratch()
    let child = try Hammer.start("/bin/sleep", ["60"])
    defer { child.process.terminate() }
    let facts = ProcessFacts(of: child.process.processIdentifier)
    #expect(facts.id == child.process.processIdentifier && facts.user == Environment.effectiveUser)
    #expect(facts.parent == Environment.processIdentifier)
    #expect(facts.executable?.hasPrefix("/") == true)
    let long = known(Client(path: "/" + String(repeating: "\u{1}", count: 4_190)))
    let hostile = String(repeating: "\u{E0001}", count: 2_000)
    var query = AccessQuery([.microphone], client: long)
    (query.deviceName, query.output) = (hostile, hostile)
    let authority = scratch.authority().acting(
      for: ProcessFacts(user: 1_000, id: 99, parent: 1, executable: hostile, terminal: hostile))
    #expect(authority.record(.start, query, authority.situation(query).decisions) == nil)
    let log = try scratch.store.audit.log()
    #expect(log.damaged == 0 && log.entries.first?.json["client"]?.string == long.name)
    #expect(log.entries.first?.json["pid"]?.integer == 99)
    #expect(try authority.programs().map(\.client) == [long])
  }
}
