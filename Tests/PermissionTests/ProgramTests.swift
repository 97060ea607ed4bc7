import Foundation
import Linux
import Testing

@testable import Permission

extension Client {
  static let firefox = known(Client(program: "path:/usr/bin/firefox"))
  static let zoom = known(Client(program: "flatpak:us.zoom.Zoom"))
}

@Suite("Decisions about programs")
struct ProgramTests {
  private let microphone: Set<Service> = [.microphone]

  private func query(_ client: Client, _ session: SessionID? = nil) -> AccessQuery {
    AccessQuery([.microphone], client: client, session: session)
  }

  private func status(_ client: Client, _ scratch: Scratch) -> AuthorizationStatus {
    scratch.authority().decide(query(client)).status
  }

  @Test(
    "An identifier has a known prefix and a possible name, and is no name of a caller",
    arguments: [
      ("path:/usr/bin/a", true), ("path:/a b/ä\n\u{1B}", true), ("path:/a:b", true),
      ("path:/...", true), ("path:/", false), ("path:a", false), ("path:", false),
      ("path:/a/../b", false), ("path:/./a", false), ("path://a", false), ("path:/a/", false),
      ("path:/a\0b", false), ("path:/" + String(repeating: "x", count: 4_194), true),
      ("path:/" + String(repeating: "x", count: 4_195), false),
      ("flatpak:org.mozilla.Firefox", true), ("flatpak:", false), ("flatpak:a/b", false),
      ("snap:firefox", true), ("snap:snap.firefox.hook.configure", true), ("snap:a b", false),
      ("flatpak:" + String(repeating: "x", count: 256), false), ("program:*", false),
      ("exe:/a", false), ("/usr/bin/a", false), ("dictation", false), ("*", false),
    ])
  func identifiers(text: String, isValid: Bool) {
    #expect((Client(program: text)?.kind == .program) == isValid)
    #expect(!isValid || Client(text) == nil)
  }

  @Test("Paths that only look the same are two programs")
  func bytes() throws {
    let scratch = try Scratch()
    let composed = try #require(Client(path: "/opt/caf\u{E9}"))
    let decomposed = try #require(Client(path: "/opt/cafe\u{301}"))
    #expect(composed != decomposed)
    _ = try scratch.authority().perform(.grant(.forever), query(composed))
    #expect(status(composed, scratch) == .authorized)
    #expect(status(decomposed, scratch) == .notDetermined)
    _ = try scratch.authority().perform(.revoke, query(decomposed))
    #expect(status(composed, scratch) == .authorized && status(decomposed, scratch) == .denied)
  }

  @Test("A base name is the last name of a path, or the name without its prefix")
  func baseNames() {
    #expect(Client.firefox.baseName == "firefox" && Client.firefox.path == "/usr/bin/firefox")
    #expect(Client.zoom.baseName == "us.zoom.Zoom" && Client.zoom.path == nil)
    #expect(Client.dictation.baseName == "dictation" && Client.dictation.path == nil)
  }

  @Test("A program that cannot be identified is not allowed by a policy, and never asked about")
  func unknown() throws {
    let unknown = Client(ProgramIdentity.unknown(.ended))
    #expect(unknown.name == "unknown:ended" && unknown.kind == .program)
    #expect(!unknown.isIdentified && Client.firefox.isIdentified && Client.dictation.isIdentified)
    #expect(Client(program: unknown.name) == nil && Client(unknown.name) == nil)
    #expect(Client(ProgramIdentity.path(Path("/a/../b"))).name == "unknown:invalid")
    let allowed = Situation.alice(policies: .authorizesAll, client: unknown).decide()
    #expect(allowed.status == .notDetermined && allowed.noPrompt == .unknownProgram)
    let refused = Situation.alice(policies: .restrictsAll, client: unknown).decide()
    #expect(refused.status == .restricted)
  }

  @Test("Programs and callers have separate files, and no decision of one is read for the other")
  func files() throws {
    let scratch = try Scratch()
    let authority = scratch.authority()
    _ = try authority.perform(.grant(.forever), query(.firefox))
    #expect(try scratch.names().filter { $0.hasSuffix(".json") } == ["programs.json"])
    #expect(status(.everyone, scratch) == .notDetermined)
    _ = try authority.perform(.revoke, AccessQuery(Set(Service.allCases)))
    #expect(status(.firefox, scratch) == .authorized && status(.dictation, scratch) == .denied)
    _ = try authority.perform(.reset(force: false), AccessQuery(Set(Service.allCases)))
    #expect(status(.firefox, scratch) == .authorized)
    // A file of the other kind is not accepted, although its checksum is right.
    let programs = try Data(contentsOf: URL(fileURLWithPath: scratch.store.path + "/programs.json"))
    try scratch.write(programs)
    #expect(scratch.authority().decide(AccessQuery()).reason == .storeUnusable)
  }

  @Test("A refusal of all programs removes their grants, and its reset restores none")
  func allPrograms() throws {
    let scratch = try Scratch()
    let authority = scratch.authority()
    for client in [Client.firefox, .everyone] {
      _ = try authority.perform(.grant(.forever), query(client))
    }
    _ = try authority.perform(.revoke, query(.zoom))
    let all = AccessQuery(Set(Service.allCases), client: .allPrograms)
    _ = try authority.perform(.revoke, all)
    #expect(status(.firefox, scratch) == .denied)
    #expect(authority.decide(query(.firefox)).source == .record(.allPrograms, .command))
    #expect(status(.everyone, scratch) == .authorized, "recorder has its own decision")
    _ = try authority.perform(.grant(.forever), query(.firefox))
    #expect(status(.firefox, scratch) == .denied, "a grant does not lift it")
    _ = try authority.perform(.reset(force: false), all)
    #expect(status(.firefox, scratch) == .notDetermined)
    #expect(status(.zoom, scratch) == .notDetermined)
    let events = try scratch.store.audit.log().entries.compactMap { $0.json["client"]?.string }
    #expect(events.contains("program:*"))
  }

  @Test("A grant of all programs, which no command gives, allows no program")
  func noGrantOfAll() throws {
    let scratch = try Scratch()
    _ = try scratch.authority().perform(.grant(.forever), query(.allPrograms))
    #expect(status(.firefox, scratch) == .notDetermined)
  }

  @Test("A policy applies to programs")
  func policy() throws {
    let scratch = try Scratch()
    try scratch.policy(PolicyFileTests.authorizing)
    #expect(scratch.authority().decide(query(.firefox)).reason == .policy)
    #expect(status(.firefox, scratch) == .authorized)
  }

  @Test("A grant for one recording is used by one stream of the program")
  func once() throws {
    let scratch = try Scratch()
    let authority = scratch.authority()
    let streams = ["stream-1", "stream-2"].map { known(SessionID($0)) }
    _ = try authority.perform(.grant(.once), query(.firefox))
    let first = try authority.consume(for: streams[0], query(.firefox))
    #expect(first.decide().status == .authorized)
    let second = try authority.consume(for: streams[1], query(.firefox))
    #expect(second.decide().status == .notDetermined)
    #expect(authority.decide(query(.firefox, streams[0])).status == .authorized)
    try authority.end(streams[0], of: .program)
    #expect(authority.decide(query(.firefox, streams[0])).status == .notDetermined)
  }

  @Test("A refusal that does not fit on the disk refuses every program, and no caller")
  func marker() throws {
    let scratch = try Scratch()
    _ = try scratch.authority().perform(.grant(.forever), query(.everyone))
    try scratch.write(Data(), to: scratch.store.path + "/programs.denied")
    #expect(status(.firefox, scratch) == .denied && status(.everyone, scratch) == .authorized)
    _ = try scratch.authority().perform(.grant(.forever), query(.firefox))
    #expect(status(.firefox, scratch) == .denied, "the refusal is kept")
    #expect(!FileManager.default.fileExists(atPath: scratch.store.path + "/programs.denied"))
  }

  @Test("A damaged file refuses every program, and is moved away by a reset of all programs")
  func damaged() throws {
    let scratch = try Scratch()
    let authority = scratch.authority()
    for client in [Client.firefox, .everyone] {
      _ = try authority.perform(.grant(.forever), query(client))
    }
    try scratch.write(Data("x".utf8), to: scratch.store.path + "/programs.json")
    #expect(authority.decide(query(.firefox)).reason == .storeUnusable)
    #expect(status(.everyone, scratch) == .authorized)
    _ = try authority.perform(.reset(force: true), query(.everyone))
    #expect(authority.decide(query(.firefox)).reason == .storeUnusable)
    let outcome = try authority.perform(.reset(force: true), query(.allPrograms))
    #expect(outcome.movedTo?.contains("/programs.json.bad-") == true)
    #expect(status(.firefox, scratch) == .notDetermined)
  }

  @Test("A grant of another machine does not apply, and a refusal does")
  func machines() throws {
    let scratch = try Scratch()
    func authority(_ machine: String) -> Authority {
      let owner = StoreOwner(user: Environment.effectiveUser, machine: machine)
      var other = scratch.authority()
      other = Authority(
        store: PermissionStore(path: scratch.store.path, owner: owner),
        directories: other.directories, account: other.account, process: other.process,
        clock: other.clock)
      return other
    }
    let (a, b) = (authority("a"), authority("b"))
    _ = try a.perform(.grant(.forever), query(.firefox))
    #expect(b.decide(query(.firefox)).status == .notDetermined)
    #expect(b.decide(query(.firefox)).notes.contains(.foreignGrant))
    _ = try b.perform(.grant(.forever), query(.zoom))
    #expect(a.decide(query(.zoom)).status == .notDetermined)
    #expect(try scratch.names().contains("program-grants"))
    #expect(b.decide(query(.zoom)).status == .authorized)
    _ = try b.perform(.revoke, query(.firefox))
    #expect(a.decide(query(.firefox)).status == .denied)
  }

  @Test("A change of a decision about a program wakes the watch of programs")
  func watch() throws {
    let scratch = try Scratch()
    let authority = scratch.authority()
    var watch = try DecisionWatch(authority, of: .program)
    var poll = Poll()
    for command in [PermissionCommand.grant(.forever), .revoke, .reset(force: false)] {
      _ = try authority.perform(command, query(.firefox))
      poll.removeAll()
      watch.enlist(in: &poll)
      try poll.wait(upTo: .seconds(5))
      let isNoticed = watch.noticesChange(poll)
      #expect(isNoticed, "\(command)")
    }
  }

  @Test("A check is due after a change that was not notified, and at a regular time")
  func check() throws {
    let scratch = try Scratch()
    let authority = scratch.authority()
    _ = try authority.perform(.grant(.forever), query(.firefox))
    var watch = try DecisionWatch(authority, of: .program)
    let isDueAtFirst = watch.isCheckDue()
    let isDueAgain = watch.isCheckDue()
    #expect(isDueAtFirst && !isDueAgain)
    let now = KernelClock.monotonic.now
    let calm = watch.nextCheck
    #expect(calm > now && calm <= now + .seconds(30))
    _ = try authority.perform(.revoke, query(.firefox))
    let isDueAfterChange = watch.isCheckDue()
    #expect(isDueAfterChange)
    // A policy can change through another hard link.
    try scratch.policy(#"{"version":1,"rules":[]}"#)
    let isDueAfterPolicy = watch.isCheckDue()
    let watched = watch.nextCheck
    #expect(isDueAfterPolicy && watched <= KernelClock.monotonic.now + .seconds(7))
  }

  @Test("Checks are frequent only while a policy exists")
  func checkWithoutPolicy() throws {
    let scratch = try Scratch()
    let directories = scratch.directories
    #expect(!directories.hasPolicy)
    try scratch.policy("", "README")
    try scratch.policy("{}", ".10-site.json")
    #expect(!directories.hasPolicy)
    // The clock of the filesystem may not have advanced before the next change.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: scratch.policies)
    var watch = try DecisionWatch(scratch.authority())
    let (isDue, calm, seesAll) = (watch.isCheckDue(), watch.nextCheck, watch.seesAll)
    // A filesystem without notifications needs frequent checks.
    #expect(isDue && (!seesAll || calm > KernelClock.monotonic.now + .seconds(7)))
    try scratch.policy(#"{"version":1,"rules":[]}"#)
    let (isDueAfterPolicy, frequent) = (watch.isCheckDue(), watch.nextCheck)
    #expect(isDueAfterPolicy && frequent <= KernelClock.monotonic.now + .seconds(7))
    try FileManager.default.removeItem(atPath: scratch.policies + "/10-site.json")
    #expect(!directories.hasPolicy)
    // No policy of this directory can be trusted, so every decision is refused.
    try scratch.setMode(0o777, of: scratch.policies)
    #expect(directories.hasPolicy)
  }

  @Test("The file holds more decisions than that of the callers, and they are read back")
  func many() throws {
    let scratch = try Scratch()
    let clients = (0..<2_000).map { known(Client(path: "/opt/program-\($0)/bin/program")) }
    let records = Records(clients.map { (Subject(.microphone, $0), Record.forever) })
    let ledger = Ledger(
      generation: 1, owner: scratch.store.owner, records: records, kind: .program)
    #expect(ledger.encoded.count > 65_536 && ledger.fits)
    let file = scratch.store.path + "/programs.json"
    try scratch.write(Data(ledger.encoded), to: file)
    try scratch.setMode(0o700, of: scratch.store.path)
    #expect(scratch.authority().store(of: .program).read() == .ledger(ledger))
    _ = try scratch.authority().perform(.revoke, query(.firefox))
    #expect(status(clients[1_999], scratch) == .authorized)
    #expect(status(.firefox, scratch) == .denied)
    try scratch.write(Data(count: (16 << 20) + 1), to: file)
    let fault = TrustFault.file(file, .tooLarge(limit: 16 << 20))
    #expect(scratch.authority().store(of: .program).read() == .unusable(fault))
    #expect("\(fault)".hasSuffix("is larger than 16 MiB"))
  }
}
