import Linux
import Testing

@testable import Permission

@Suite("Decisions in the portals' store")
struct PortalTests {
  private static let own = Subject(.microphone, .zoom)
  private static let all = Subject(.microphone, .allPrograms)

  /// A state of both stores, and the decision about the microphone for a Flatpak program.
  struct Row: Sendable {
    let records: UserRecords
    let portal: PortalRecords
    var policies = Policies.none
    let status: AuthorizationStatus
    let source: Decision.Source
  }

  private static let allowed = PortalRecords([.zoom: true])
  private static let refused = PortalRecords([.zoom: false])
  private static let broken = PortalRecords(fault: .unreadable("no space"))

  private static func situation(
    _ records: UserRecords, _ portal: PortalRecords, about services: Set<Service> = [.microphone],
    client: Client = .zoom, policies: Policies = .none
  ) -> Situation {
    var situation = Situation.alice(records, policies: policies, about: services, client: client)
    situation.portal = portal
    return situation
  }

  private static let rows = [
    Row(records: .absent, portal: allowed, status: .authorized, source: .portal),
    Row(records: .absent, portal: refused, status: .denied, source: .portal),
    Row(records: .absent, portal: PortalRecords(), status: .notDetermined, source: .nothing),
    // A refusal in either store refuses, and otherwise a grant in either one allows.
    Row(
      records: .of([own: .denial]), portal: allowed, status: .denied,
      source: .record(.zoom, .command)),
    Row(records: .of([own: .forever]), portal: refused, status: .denied, source: .portal),
    Row(records: .of([own: .anHour]), portal: refused, status: .denied, source: .portal),
    Row(
      records: .of([all: .denial]), portal: allowed, status: .denied,
      source: .record(.allPrograms, .command)),
    Row(
      records: .of([own: .anHour]), portal: PortalRecords(), status: .authorized,
      source: .record(.zoom, .command)),
    // An unreadable store may have a refusal.
    Row(
      records: .of([own: .forever]), portal: broken, status: .denied,
      source: .portalFault("no space")),
    Row(
      records: .of([own: .forever]), portal: PortalRecords(fault: .absent("no bus")),
      status: .authorized, source: .record(.zoom, .command)),
    // After the bus was lost, the last reading applies.
    Row(
      records: .of([own: .anHour]),
      portal: PortalRecords([.zoom: false], fault: .absent("no bus")), status: .denied,
      source: .portal),
  ]

  @Test("The first rule that applies decides, in either store", arguments: rows)
  func decisions(row: Row) {
    let decision = Self.situation(row.records, row.portal).decide()
    #expect(decision.status == row.status && decision.source == row.source, "\(row)")
  }

  @Test("A policy comes first, and a policy that authorizes comes last")
  func policies() {
    let restricted = Self.situation(.absent, Self.allowed, policies: .restrictsAll)
    #expect(restricted.decide().status == .restricted)
    #expect(restricted.portal(after: .grant(.forever)) == Self.allowed, "nothing is stored")
    let authorized = Self.situation(.absent, Self.refused, policies: .authorizesAll)
    #expect(authorized.decide().status == .denied)
  }

  @Test("Only the microphone of Flatpak programs depends on the portals")
  func scope() {
    let portal = PortalRecords([.zoom: true, .firefox: true], fault: nil)
    for client in [Client.firefox, .allPrograms, .dictation, .everyone] {
      let other = Self.situation(.absent, Self.broken, client: client)
      #expect(other.decide().status == .notDetermined && client.portalID == nil)
      #expect(other.portal(after: .revoke) == Self.broken)
    }
    let audio = Self.situation(.absent, portal, about: [.systemAudio])
    #expect(audio.decide().status == .notDetermined)
    #expect(audio.portal(after: .grant(.forever)) == portal)
    #expect(Client.zoom.portalID == "us.zoom.Zoom")
    #expect(Client(portalID: "us.zoom.Zoom") == .zoom && Client(portalID: "") == nil)
  }

  @Test(
    "A command changes the store that can express the decision",
    arguments: [
      (.grant(.forever), .notDetermined, true), (.request(.always), .notDetermined, true),
      (.revoke, .notDetermined, false), (.request(.never), .notDetermined, false),
      (.revoke, .authorized, false), (.grant(.forever), .denied, true),
      (.reset(force: false), .denied, nil), (.reset(force: false), .authorized, nil),
      (.grant(.once), .denied, nil), (.grant(.lasting(.seconds(60))), .authorized, nil),
      (.request(.onlyThisTime), .notDetermined, nil), (.status, .denied, false),
    ] as [(PermissionCommand, AuthorizationStatus, Bool?)])
  func changes(command: PermissionCommand, before: AuthorizationStatus, after: Bool?) {
    let portal =
      before == .notDetermined
      ? PortalRecords() : before == .denied ? Self.refused : Self.allowed
    let situation = Self.situation(.absent, portal)
    #expect(situation.portal(after: command).decisions[.zoom] == after)
    let expected: AuthorizationStatus =
      switch command {
      case .status: before
      case .reset: .notDetermined
      case .revoke, .request(.never): .denied
      case .grant, .request: .authorized
      }
    #expect(situation.after(command).decide().status == expected)
  }

  @Test("A store that cannot be read accepts a refusal in our file, and no grant")
  func unreadable() {
    let situation = Self.situation(.absent, Self.broken)
    #expect(situation.transition(of: .grant(.forever)) == .none)
    guard case .change(.record(let scope, let record)) = situation.transition(of: .revoke) else {
      Issue.record("the refusal is not stored")
      return
    }
    #expect(scope == Scope([.microphone], .zoom) && record.isDenial)
    #expect(situation.portal(after: .revoke) == Self.broken)
  }

  @Test("Our file keeps grants that end, and loses the decisions that the portals have")
  func files() throws {
    let scratch = try Scratch()
    var authority = scratch.authority()
    authority.portal = PortalRecords()
    func records() -> Records {
      authority.store(of: .program).read().ledger?.records ?? [:]
    }
    func perform(_ command: PermissionCommand, _ services: Set<Service>) throws {
      let outcome = try authority.perform(command, AccessQuery(services, client: .zoom))
      authority.portal = outcome.after.portal
    }
    let both = Set(Service.allCases)
    try perform(.grant(.lasting(.seconds(60))), [.microphone])
    #expect(records().count == 1 && authority.portal.decisions.isEmpty)
    try perform(.revoke, both)
    #expect(records().keys == [Self.own.other] && authority.portal == Self.refused)
    #expect(authority.programs(called: "us.zoom.Zoom") == [.zoom])
    try perform(.grant(.forever), [.microphone])
    #expect(records().keys == [Self.own.other] && authority.portal == Self.allowed)
    try perform(.grant(.once), [.microphone])
    #expect(records().count == 2 && authority.portal == PortalRecords())
    try perform(.reset(force: false), both)
    #expect(records().isEmpty && authority.portal == PortalRecords())
    let events = try scratch.store.audit.log().entries.compactMap { $0.json["event"]?.string }
    #expect(events.filter { $0 == "revoke" }.count == 2 && events.last == "reset", "\(events)")
  }

  @Test("A repeated refusal changes nothing, and a program of the portals is listed")
  func repeated() throws {
    #expect(Self.situation(.absent, Self.refused).transition(of: .revoke) == .none)
    let scratch = try Scratch()
    var authority = scratch.authority()
    authority.portal = Self.allowed
    let programs = try authority.programs()
    #expect(programs.map(\.client) == [.zoom])
    #expect(programs.first?.statuses == [.authorized, .notDetermined])
  }
}
