import Foundation
import Linux
import Support
import Testing

@testable import Commands
@testable import Permission

struct StoreTests {
  @Test("Every kind of stored decision is read back")
  func roundTrip() throws {
    for record in [
      Record.denial, .refusedAtPrompt, .forever, .always, .once, .anHour,
    ] {
      let scratch = try Scratch()
      #expect(scratch.store.read() == .absent)
      try scratch.record(record, for: .dictation)
      let ledger = Ledger(
        generation: 1, owner: scratch.store.owner, records: [.dictation: record])
      #expect(scratch.store.read() == .ledger(ledger))
      #expect(try Ledger(decoding: ledger.encoded) == ledger)
    }
  }

  @Test("The decisions about both services are in one file, which may omit system audio")
  func services() throws {
    let scratch = try Scratch()
    try scratch.record(.anHour)
    try scratch.record(.denial, for: Scope([.systemAudio], .dictation))
    let ledger = Ledger(
      generation: 2, owner: scratch.store.owner,
      records: [.everyone: .anHour, Subject.dictation.other: .denial])
    #expect(scratch.store.read() == .ledger(ledger))
    #expect(try Ledger(decoding: ledger.encoded) == ledger)
    let json =
      #"{"version":1,"generation":1,"uid":0,"machine":"m","microphone":{},"systemAudio":{"#
      + #""*":{"state":"denied","at":"2026-03-01T09:00:00Z","by":"prompt"}},"sessions":{}}"#
    try scratch.write(Data(Ledger.file(of: Array(json.utf8))))
    #expect(scratch.store.read().ledger?.records.keys == [Subject.everyone.other])
  }

  @Test("A file whose next generation could not be written is refused")
  func lastGeneration() throws {
    let owner = StoreOwner(user: 1, machine: "m")
    let last = UInt64(Int64.max) - 1
    let usable = Ledger(generation: last, owner: owner, records: [:])
    #expect(try Ledger(decoding: usable.encoded) == usable)
    let flaw = FileFlaw.malformed(.invalid(key: "generation"))
    #expect(throws: flaw) {
      try Ledger(decoding: Ledger(generation: last + 1, owner: owner, records: [:]).encoded)
    }
  }

  @Test("A session grant is read back")
  func sessionGrants() throws {
    let owner = StoreOwner(user: 1, machine: "m")
    let sessionGrants = [
      known(SessionID("take-1")): SessionGrant(
        .everyone, at: ClockReading.morning.wall, by: .prompt, boot: "b"),
      known(SessionID("take-2")): SessionGrant(
        Scope(Set(Service.allCases), .dictation), at: ClockReading.morning.wall, by: .command,
        boot: nil),
    ]
    let ledger = Ledger(generation: 9, owner: owner, records: [:], sessionGrants: sessionGrants)
    #expect(try Ledger(decoding: ledger.encoded) == ledger)
  }

  @Test("Session grants of previous boots are removed, and so is the oldest one of too many")
  func manyPasses() {
    var ledger = Ledger.empty(.here)
    for number in 0..<100 {
      let time = ClockReading.morning.wall + .seconds(number)
      let grant = SessionGrant(.everyone, at: time, by: .prompt, boot: number < 5 ? "old" : "new")
      ledger = ledger.applying(.sessionGrant(known(SessionID("take-\(number)")), grant), for: .here)
    }
    #expect(ledger.sessionGrants.count == 64)
    #expect(ledger.sessionGrants[known(SessionID("take-99"))] != nil)
    #expect(ledger.sessionGrants.values.allSatisfy { $0.boot == "new" })
    #expect(ledger.encoded.count < 32_768)
  }

  /// Returns a ledger with grants for `count` clients with long names, which end after `duration`.
  private func ledger(_ count: Int, lasting duration: Duration) -> Ledger {
    let grant = Record(
      .timed(known(GrantLimit(duration, from: .morning))), at: ClockReading.morning.wall,
      by: .command)
    let clients = (0..<count).map { number in
      Subject(
        .microphone, known(Client(String(repeating: "n", count: 58) + String(100_000 + number))))
    }
    return Ledger(
      generation: 1, owner: StoreOwner(user: Environment.effectiveUser, machine: "here"),
      records: Records(clients.map { ($0, grant) }))
  }

  @Test("A decision that would exceed the size limit of the file changes nothing, and says why")
  func full() throws {
    let scratch = try Scratch()
    var count = 200
    while ledger(count + 1, lasting: .seconds(3_600)).encoded.count <= 65_536 { count += 1 }
    let ledger = ledger(count, lasting: .seconds(3_600))
    try scratch.write(Data(ledger.encoded))
    try scratch.setMode(0o700, of: scratch.store.path)
    var query = AccessQuery()
    query.client = known(Client(String(repeating: "x", count: 64)))
    var another = query
    another.client = known(Client(String(repeating: "y", count: 64)))
    let authority = scratch.authority()
    var failure: StoreFailure?
    do throws(StoreFailure) {
      for asked in [query, another] {
        _ = try authority.perform(.grant(.lasting(.seconds(60))), asked)
      }
    } catch {
      failure = error
    }
    #expect(failure == .full(scratch.file, limit: 65_536))
    #expect(scratch.store.read().ledger != nil, "what is written can be read")
    // After the grants have expired there is space again.
    let later = scratch.authority { ClockReading.morning.later(.seconds(7_200)) }
    _ = try later.perform(.grant(.forever), another)
    #expect(later.decide(another).status == .authorized)
    #expect(scratch.store.read().ledger?.records.count == 1)
  }

  @Test("A refusal has effect even if a full store has no space for it")
  func fullOfRefusals() throws {
    let scratch = try Scratch()
    let denials = (0..<700).map { number in
      let client = known(Client(String(repeating: "n", count: 58) + String(100_000 + number)))
      return (Subject(.microphone, client), Record.denial)
    }
    var records = Records(denials)
    let owner = StoreOwner(user: Environment.effectiveUser, machine: "here")
    while true {
      let size = Ledger(generation: 1, owner: owner, records: records).encoded.count
      if size <= 65_536 { break }
      // All names have the same length.
      for client in records.keys.prefix(max(1, (size - 65_536) * records.count / size)) {
        records[client] = nil
      }
    }
    try scratch.write(Data(Ledger(generation: 1, owner: owner, records: records).encoded))
    try scratch.setMode(0o700, of: scratch.store.path)
    var query = AccessQuery()
    query.client = known(Client(String(repeating: "x", count: 64)))
    let outcome = try scratch.authority().perform(.revoke, query)
    #expect(outcome.shortage?.errno == .tooLarge)
    #expect(scratch.authority().decide(query).status == .denied)
  }

  @Test("Reading creates no files")
  func readingIsPure() throws {
    let scratch = try Scratch()
    _ = scratch.authority().decide(AccessQuery())
    _ = try scratch.authority().perform(.status, AccessQuery())
    _ = try scratch.store.audit.log()
    #expect(!FileManager.default.fileExists(atPath: scratch.store.path))
  }

  @Test("The directory is 0700 and every file 0600")
  func modes() throws {
    let scratch = try Scratch()
    _ = try scratch.authority().perform(.grant(.forever), AccessQuery())
    #expect(try FileStatus(of: scratch.store.path).mode == 0o700)
    #expect(try scratch.names() == ["audit.jsonl", "permissions.json", "permissions.lock"])
    for name in try scratch.names() {
      #expect(try FileStatus(of: scratch.store.path + "/" + name).mode == 0o600)
    }
  }

  @Test("A file that is cut anywhere is unusable, and remains unchanged")
  func truncated() throws {
    let scratch = try Scratch()
    let whole = try scratch.record(.anHour)
    for length in 0..<whole.count {
      try scratch.write(whole.prefix(length))
      expectUnusable(scratch, "cut at \(length)")
      if length.isMultiple(of: 50) { try expectUntouched(scratch, whole.prefix(length)) }
    }
  }

  @Test("A file with one changed bit is unusable")
  func flipped() throws {
    let scratch = try Scratch()
    let whole = try scratch.record(.anHour)
    // A run changes some of the bits, from a random one on.
    let step = isThorough ? 3 : 9
    for bit in stride(from: Int.random(in: 0..<step), to: whole.count * 8, by: step) {
      var damaged = whole
      damaged[bit / 8] ^= 1 << (bit % 8)
      try scratch.write(damaged)
      expectUnusable(scratch, "bit \(bit)")
    }
  }

  @Test("Ten thousand randomly damaged files never contain a grant")
  func mutated() throws {
    let scratch = try Scratch()
    let whole = try scratch.record(.denial)
    var draw = Draw(seed: 11)
    for _ in 0..<10_000 {
      var damaged = Array(whole)
      for _ in 0...draw.number(0...4) {
        let place = Int(draw.number(0...Int64(damaged.count - 1)))
        switch draw.number(0...2) {
        case 0: damaged[place] = UInt8(draw.number(0...255))
        case 1: damaged.remove(at: place)
        default: damaged.insert(UInt8(draw.number(0...255)), at: place)
        }
      }
      if damaged != Array(whole) {
        #expect(throws: FileFlaw.self) { try Ledger(decoding: damaged) }
      }
    }
  }

  @Test(
    "What this version does not write is unusable even under a right checksum",
    arguments: [
      #"{"version":2,"generation":1,"uid":0,"machine":"m","sessions":{},"microphone":{}}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","sessions":{},"microphone":{},"camera":{}}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","sessions":{},"microphone":{"A":{}}}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m"}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","microphone":{}}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","sessions":{},"systemAudio":{}}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","sessions":{},"microphone":{},"systemAudio":[]}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","microphone":{},"sessions":{"a":{"client":"*","at":"2026-03-01T09:00:00Z","by":"prompt"}}}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","microphone":{},"sessions":{"a":{"client":"*","services":[],"at":"2026-03-01T09:00:00Z","by":"prompt"}}}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","microphone":{},"sessions":{"a":{"client":"*","services":["camera"],"at":"2026-03-01T09:00:00Z","by":"prompt"}}}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","microphone":{},"sessions":{"A":{}}}"#,
      #"{"version":1,"generation":1,"generation":2,"uid":0,"machine":"m","sessions":{},"microphone":{}}"#,
      #"{"version":1,"generation":-1,"uid":0,"machine":"m","sessions":{},"microphone":{}}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","sessions":{},"microphone":{}} {}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","sessions":{},"microphone":[]}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","sessions":{},"microphone":{"*":{"state":"allowed","at":"2026-03-01T09:00:00Z","by":"prompt"}}}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","sessions":{},"microphone":{"*":{"state":"authorized","at":"2026-03-01T09:00:00Z","by":"prompt"}}}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","sessions":{},"microphone":{"*":{"state":"denied","at":"2026-03-01","by":"prompt"}}}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","sessions":{},"microphone":{"*":{"state":"denied","at":"2026-03-01T09:00:00Z","by":"magic"}}}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","sessions":{},"microphone":{"*":{"state":"denied","at":"2026-03-01T09:00:00Z","by":"prompt","lifespan":"forever"}}}"#,
      #"{"version":1,"generation":1,"uid":0,"machine":"m","sessions":{},"microphone":{"*":{"state":"authorized","at":"2026-03-01T09:00:00Z","by":"prompt","lifespan":"timed","until":"2026-03-01T10:00:00Z","boot":"b","start":9,"end":9}}}"#,
      "[]", "", "{", "null", String(repeating: "[", count: 10_000),
    ])
  func strict(json: String) throws {
    let scratch = try Scratch()
    try scratch.write(Data(Ledger.file(of: Array(json.utf8))))
    expectUnusable(scratch, json)
  }

  @Test("A valid file with a correct checksum is read, which confirms the test above")
  func strictControl() throws {
    let scratch = try Scratch()
    let json = #"{"version":1,"generation":1,"uid":0,"machine":"m","sessions":{},"microphone":{}}"#
    try scratch.write(Data(Ledger.file(of: Array(json.utf8))))
    #expect(scratch.store.read().ledger?.generation == 1)
  }

  @Test("A file that others can access, or that is not regular, is refused with the reason")
  func unfitFiles() throws {
    try expectFlaw(.writableByOthers(0o666)) { try $0.setMode(0o666, of: $0.file) }
    try expectFlaw(.writableByOthers(0o620)) { try $0.setMode(0o620, of: $0.file) }
    try expectFlaw(.symbolicLink) { scratch in
      try FileManager.default.moveItem(atPath: scratch.file, toPath: scratch.path + "/target")
      try FileManager.default.createSymbolicLink(
        atPath: scratch.file, withDestinationPath: scratch.path + "/target")
    }
    try expectFlaw(.links(2)) { scratch in
      try FileManager.default.linkItem(atPath: scratch.file, toPath: scratch.path + "/second")
    }
    try expectFlaw(.notRegular) { scratch in
      try FileManager.default.removeItem(atPath: scratch.file)
      #expect(mkfifo(scratch.file, 0o600) == 0)
    }
    try expectFlaw(.notRegular) { scratch in
      try FileManager.default.removeItem(atPath: scratch.file)
      try FileManager.default.createDirectory(
        atPath: scratch.file, withIntermediateDirectories: false)
    }
    try expectFlaw(.tooLarge(limit: 65_536)) { try $0.write(Data(count: 65_537)) }
  }

  @Test(
    "A file of another user is refused",
    .enabled(if: geteuid() == 0, "only root can give files away"))
  func foreignFile() throws {
    try expectFlaw(.owner(65_534)) { #expect(chown($0.file, 65_534, 65_534) == 0) }
  }

  @Test("A directory that others can write, or that is a link, is refused")
  func unfitDirectories() throws {
    let open = try Scratch()
    try open.record(.forever)
    try open.setMode(0o777, of: open.store.path)
    let refusal = DirectoryRefusal(open.store.path, .writableByOthers(0o777))
    #expect(open.store.read() == .unusable(.directory(refusal)))
    #expect(throws: StoreFailure.unusable(.directory(refusal))) { try open.record(.forever) }

    let linked = try Scratch()
    try linked.record(.forever)
    try FileManager.default.moveItem(atPath: linked.store.path, toPath: linked.path + "/real")
    try FileManager.default.createSymbolicLink(
      atPath: linked.store.path, withDestinationPath: linked.path + "/real")
    #expect(linked.authority().decide(AccessQuery()).exitCode == .permissionUnusable)
  }

  @Test("A store below a directory that others can write is neither read nor changed")
  func exposedParent() throws {
    let scratch = try Scratch()
    let before = try scratch.record(.forever)
    try scratch.setMode(0o777, of: scratch.path)
    let refusal = DirectoryRefusal(scratch.path, .exposed(.everyone(0o777)))
    #expect(scratch.store.read() == .unusable(.directory(refusal)))
    #expect(throws: StoreFailure.unusable(.directory(refusal))) { try scratch.record(.denial) }
    #expect(try scratch.bytes() == before)
  }

  @Test("A forced reset moves the bad file aside unchanged, and decisions start a new file")
  func forcedReset() throws {
    let scratch = try Scratch()
    try scratch.write(Data("damaged".utf8))
    let outcome = try scratch.authority().perform(.reset(force: true), AccessQuery())
    let report = PermissionPhrasing().summary(outcome)
    #expect(report.exit == .done)
    #expect(report.decision.status == .notDetermined)
    let place = try #require(outcome.movedTo)
    #expect(place == scratch.file + ".bad-2026-03-01T09:00:00Z")
    #expect(report.lines.first?.contains(place) == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: place)) == Data("damaged".utf8))
    try scratch.record(.forever)
    #expect(scratch.store.read().ledger?.generation == 1)
  }

  @Test("A lock that is never released ends the wait, and nothing changes")
  func lockedForEver() throws {
    let scratch = try Scratch()
    let before = try scratch.record(.forever)
    let holder = open(scratch.store.path + "/permissions.lock", O_RDWR | O_CLOEXEC)
    defer { close(holder) }
    #expect(flock(holder, LOCK_EX) == 0)
    #expect(throws: StoreFailure.locked(scratch.store.path + "/permissions.lock")) {
      try scratch.record(.denial)
    }
    #expect(try scratch.bytes() == before)
    #expect(scratch.store.read().ledger?.records[.everyone] == .forever)
  }

  @Test("A marker refuses all clients, despite an authorizing policy, until the next decision")
  func marker() throws {
    let scratch = try Scratch()
    try scratch.policy(PolicyFileTests.authorizing)
    try scratch.record(.forever, for: .dictation)
    try scratch.record(.forever)
    try FileManager.default.moveItem(atPath: scratch.file, toPath: scratch.marker)
    let authority = scratch.authority()
    for client in [Client.everyone, .dictation] {
      #expect(authority.decide(AccessQuery(client: client)).status == .denied)
    }
    _ = try authority.perform(.grant(.forever), AccessQuery())
    #expect(!FileManager.default.fileExists(atPath: scratch.marker))
    let ledger = try #require(scratch.store.read().ledger)
    #expect(ledger.generation > 2, "the generation goes on where the marker's file stood")
    let left = ledger.records.filter { !$1.isDenial }
    #expect(left.keys.map(\.client) == [.everyone], "no other grant came back to life")
    #expect(authority.decide(AccessQuery()).status == .authorized)
    #expect(
      authority.decide(AccessQuery([.systemAudio])).status == .denied,
      "the marker refused this service, too")
  }

  @Test("A marker next to a bad file, or of any type, still refuses")
  func strangeMarkers() throws {
    let scratch = try Scratch()
    try scratch.record(.forever)
    try FileManager.default.createSymbolicLink(
      atPath: scratch.marker, withDestinationPath: "/nowhere")
    #expect(scratch.authority().decide(AccessQuery()).status == .denied)
    _ = try scratch.authority().perform(.reset(force: false), AccessQuery())
    #expect(scratch.authority().decide(AccessQuery()).status == .notDetermined)
  }

  private func expectUnusable(_ scratch: Scratch, _ comment: String) {
    let decision = scratch.authority().decide(AccessQuery())
    guard decision.reason == .storeUnusable, decision.exitCode == .permissionUnusable else {
      Issue.record("\(comment): \(decision)")
      return
    }
  }

  private func expectUntouched(_ scratch: Scratch, _ bytes: Data) throws {
    #expect(throws: StoreFailure.self) { try scratch.record(.forever) }
    for command in [PermissionCommand.grant(.forever), .revoke, .reset(force: false)] {
      #expect(
        PermissionPhrasing().summary(try scratch.authority().perform(command, AccessQuery())).exit
          == .permissionUnusable)
    }
    #expect(try scratch.bytes() == bytes)
  }

  private func expectFlaw(_ flaw: FileFlaw, _ spoil: (Scratch) throws -> Void) throws {
    let scratch = try Scratch()
    try scratch.record(.forever)
    try spoil(scratch)
    #expect(scratch.store.read() == .unusable(.file(scratch.file, flaw)))
    #expect(throws: StoreFailure.unusable(.file(scratch.file, flaw))) {
      try scratch.record(.forever)
    }
    let report = PermissionPhrasing().summary(
      try scratch.authority().perform(.status, AccessQuery()))
    #expect(report.exit == .permissionUnusable)
    #expect(report.lines.contains { $0.contains(scratch.file) && $0.contains(flaw.description) })
  }
}
