import Foundation
import Linux
import Synchronization
import Testing

@testable import Commands
@testable import Permission

struct AuthorityTests {
  let session = known(SessionID("take-1"))

  @Test("A grant for one recording is used by one session and no other")
  func consumeOnce() throws {
    let scratch = try Scratch()
    let authority = scratch.authority()
    _ = try authority.perform(.grant(.once), AccessQuery())
    #expect(try authority.consume(for: session, AccessQuery()).decide().status == .authorized)
    #expect(try authority.consume(for: session, AccessQuery()).decide().status == .authorized)
    #expect(
      try authority.consume(for: known(SessionID("take-2")), AccessQuery()).decide().status
        == .notDetermined
    )
    #expect(authority.decide(AccessQuery()).reason == nil)
    #expect(authority.decide(AccessQuery(session: session)).reason == .once)
    try authority.end(session)
    #expect(authority.decide(AccessQuery(session: session)).status == .notDetermined)
  }

  @Test("Two sessions may each have a grant of their own, and both continue")
  func twoSessions() throws {
    let scratch = try Scratch()
    let authority = scratch.authority()
    let second = known(SessionID("take-2"))
    for session in [session, second] {
      _ = try authority.perform(.request(.onlyThisTime), AccessQuery(session: session))
    }
    #expect(authority.decide(AccessQuery(session: session)).status == .authorized)
    #expect(authority.decide(AccessQuery(session: second)).status == .authorized)
    _ = try authority.perform(.grant(.lasting(.seconds(10))), AccessQuery())
    #expect(authority.decide(AccessQuery(session: session)).remaining == nil)
    _ = try authority.perform(.revoke, AccessQuery())
    #expect(authority.decide(AccessQuery(session: second)).status == .denied)
    _ = try authority.perform(.reset(force: false), AccessQuery())
    #expect(authority.decide(AccessQuery(session: second)).status == .notDetermined)
  }

  @Test("Policies decide about the device that is found for them")
  func device() throws {
    let scratch = try Scratch()
    try scratch.policy(
      #"""
      {"version":1,"rules":[{"service":"microphone","match":{"devices":["hw:77,0"]},
      "status":"restricted"}]}
      """#)
    var authority = scratch.authority()
    let query = AccessQuery(device: .card(names: ["hw:76,0"]))
    #expect(authority.decide(query).status == .notDetermined)
    authority.device = { .card(names: $0.nameDevices ? ["hw:77,0"] : []) }
    #expect(authority.decide(query).status == .restricted)
  }

  @Test("A grant that is not for one recording is not used up, and not written again")
  func consumeForever() throws {
    let scratch = try Scratch()
    let before = try scratch.record(.forever)
    #expect(
      try scratch.authority().consume(for: session, AccessQuery()).decide().status == .authorized)
    try scratch.authority().end(session)
    #expect(try scratch.bytes() == before)
  }

  @Test("The end of a session without a grant of its own waits for no other writer")
  func endWithoutGrant() throws {
    let scratch = try Scratch()
    try scratch.record(.forever)
    let holder = open(scratch.store.path + "/permissions.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #expect(flock(holder, LOCK_EX) == 0)
    defer { close(holder) }
    #expect(throws: StoreFailure.self) {
      try scratch.authority().perform(.grant(.once), AccessQuery())
    }
    #expect(throws: Never.self) { try scratch.authority().end(session) }
  }

  @Test("A refusal consumes nothing and stays a refusal")
  func consumeNothing() throws {
    let scratch = try Scratch()
    #expect(
      try scratch.authority().consume(for: session, AccessQuery()).decide().status == .notDetermined
    )
    #expect(!FileManager.default.fileExists(atPath: scratch.store.path))
    try scratch.record(.denial)
    #expect(try scratch.authority().consume(for: session, AccessQuery()).decide().status == .denied)
  }

  @Test("An expired grant for one recording cannot be used")
  func consumeLate() throws {
    let scratch = try Scratch()
    try scratch.record(.once)
    let late = scratch.authority { .morning.later(.seconds(600)) }
    #expect(try late.consume(for: session, AccessQuery()).decide().status == .notDetermined)
  }

  @Test(
    "A session that is revoked is stopped, also where it was refused, and the caller hears which"
  )
  func stops() throws {
    let scratch = try Scratch()
    let authority = scratch.authority()
    _ = try authority.perform(.grant(.forever), AccessQuery())
    let outcome = try authority.perform(.revoke, AccessQuery())
    #expect(outcome.mayEndSessions)
    #expect(authority.decide(AccessQuery()).status == .denied, "stored before any session ends")
    let stopped = PermissionPhrasing().summary(
      outcome, stopped: StoppedSessions(confirmed: ["lecture"]))
    #expect(stopped.lines.contains { $0.hasSuffix("lecture") })
    let again = try authority.perform(.revoke, AccessQuery())
    #expect(again.transition == .none && again.mayEndSessions)
    let unconfirmed = PermissionPhrasing().summary(
      again, stopped: StoppedSessions(unconfirmed: ["memo"]))
    #expect(unconfirmed.exit == .revokeUnconfirmed)
  }

  @Test(
    "A session that lives on its own grant is stopped too, and not where a policy still allows it")
  func stopsPasses() throws {
    let scratch = try Scratch()
    let authority = scratch.authority()
    for (policy, command, stops) in [
      (false, PermissionCommand.revoke, true), (false, .reset(force: false), true),
      (true, .reset(force: false), false), (true, .revoke, true),
    ] {
      if policy { try scratch.policy(PolicyFileTests.authorizing) }
      _ = try authority.perform(.reset(force: false), AccessQuery())
      _ = try scratch.store.update(at: ClockReading.morning.wall) { _ in
        .sessionGrant(
          session,
          SessionGrant(.everyone, at: ClockReading.morning.wall, by: .prompt, boot: "boot-a"))
      }
      let outcome = try authority.perform(command, AccessQuery())
      #expect(outcome.mayEndSessions == stops, "\(command), policy \(policy)")
    }
  }

  @Test("Each change is in the audit, with the process and both states")
  func audited() throws {
    let scratch = try Scratch()
    let authority = scratch.authority()
    for command in [
      PermissionCommand.grant(.forever), .revoke, .reset(force: false), .request(.always), .status,
    ] {
      _ = try authority.perform(command, AccessQuery())
    }
    let entries = try scratch.store.audit.log().entries
    let told = entries.map { entry in
      ["event", "from", "to"].map { entry.json[$0]?.string ?? "" }.joined(separator: " ")
    }
    #expect(
      told == [
        "grant notDetermined authorized", "revoke authorized denied",
        "reset denied notDetermined", "prompt notDetermined authorized",
      ])
    let first = try #require(entries.first)
    #expect(first.json["exe"] == "/usr/bin/recorder")
    #expect(first.json["tty"] == "pts/1" && first.json["ppid"] == 1 && first.json["pid"] == 7)
    #expect(first.text.contains("  not decided yet → allowed  "))
  }

  @Test("A refused request is in the audit, too")
  func refusalAudited() throws {
    let scratch = try Scratch()
    try scratch.record(.denial)
    _ = try scratch.authority().perform(.request(.noTerminal), AccessQuery())
    #expect(try scratch.store.audit.log().entries.last?.json["event"] == "refuse")
  }

  @Test("A marker for one service refuses both, until the next decision about each")
  func markerOfBoth() throws {
    let scratch = try Scratch()
    let authority = scratch.authority()
    _ = try authority.perform(.grant(.forever), AccessQuery(Set(Service.allCases)))
    try FileManager.default.moveItem(atPath: scratch.file, toPath: scratch.marker)
    for service in Service.allCases {
      #expect(authority.decide(AccessQuery([service])).status == .denied)
    }
    _ = try authority.perform(.reset(force: false), AccessQuery([.systemAudio]))
    #expect(authority.decide(AccessQuery([.systemAudio])).status == .notDetermined)
    #expect(authority.decide(AccessQuery()).status == .denied)
  }

  @Test("A revoke under a broken policy is stored, and reports that the policy is broken")
  func revokeUnderBrokenPolicy() throws {
    let scratch = try Scratch()
    try scratch.record(.forever)
    try scratch.policy("{")
    let outcome = try scratch.authority().perform(.revoke, AccessQuery())
    #expect(PermissionPhrasing().summary(outcome).exit == .permissionUnusable)
    #expect(scratch.store.read().ledger?.records[.everyone]?.isDenial == true)
  }

  @Test("The JSON of the status has all documented members")
  func json() throws {
    let scratch = try Scratch()
    try scratch.record(.anHour)
    let json = scratch.authority().decide(AccessQuery()).json
    #expect(
      json.keys == [
        "status", "rawValue", "reason", "source", "file", "service", "client", "since",
        "expiresAt", "remaining", "mayPrompt", "notes", "enforcement",
      ])
    #expect(json["rawValue"] == 3 && json["file"] == .null && json["enforcement"] == "advisory")
    #expect(json["remaining"] == .number(3_600) && json["expiresAt"] == "2026-03-01T10:00:00Z")
  }

  @Test("The facts of this process are correct")
  func processFacts() {
    let facts = ProcessFacts.current()
    #expect(facts.id == getpid() && facts.parent == getppid() && facts.user == geteuid())
    #expect(facts.executable?.hasPrefix("/") == true)
  }

  @Test("Groups are read only when a rule names one, and only once")
  func groupsOnDemand() {
    let lookups = Atomic(0)
    let account = Account(
      id: 1_000, name: "alice",
      groups: lookups.add(1, ordering: .relaxed).newValue > 0
        ? [Account.Group(id: 29, name: "audio")] : [])
    let everyone = Rule(status: .restricted)
    let group = Rule(groups: ["audio"], status: .restricted)
    #expect(everyone.holds(for: account, with: .unspecified))
    #expect(lookups.load(ordering: .relaxed) == 0)
    #expect(group.holds(for: account, with: .unspecified))
    #expect(group.holds(for: account, with: .unspecified))
    #expect(lookups.load(ordering: .relaxed) == 1)
  }

  @Test("A rule is for a user and a group whose names have the same bytes")
  func lookAlikes() {
    let account = Account(
      id: 1_000, name: "K", groups: [Account.Group(id: 29, name: "\u{E9}")])
    #expect(account.isUser("K") == .yes && account.isUser("1000") == .yes)
    #expect(account.isUser("\u{212A}") == .no)
    #expect(account.isMember(of: "\u{E9}") == .yes && account.isMember(of: "e\u{301}") == .no)
  }

  @Test("This user is found by number, and an existing group has a name")
  func currentAccount() throws {
    let account = Account.current(geteuid())
    #expect(account.id == geteuid() && account.groups.map(\.id).contains(getegid()))
    let root = try #require(try UserGroup(0))
    #expect(root.name == "root")
    #expect(try UserGroup(3_999_999_999) == nil)
  }
}
