import Linux
import Testing

@testable import Commands
@testable import Permission

/// The two services: each with its own decision, and both together for one take.
struct ServiceTests {
  private static let both = Set(Service.allCases)

  /// The decisions of `DecisionTests.precedence` about system audio, with the same facts about it.
  @Test(
    "The same precedence applies to system audio", arguments: DecisionTests.precedence)
  func precedence(row: Case) {
    let decision = Self.moved(row.situation).decide()
    #expect(decision.status == row.status && decision.reason == row.reason)
    #expect(decision.service == .systemAudio)
  }

  @Test("Grants, refusals and rules of one service decide nothing about the other")
  func independent() {
    let shared: [Reason?] = [.policyUnusable, .environment, .storeUnusable]
    for row in DecisionTests.precedence {
      let other = row.situation.about([.systemAudio]).decide()
      if shared.contains(row.reason) || row.situation.records == .marker("/s/permissions.denied") {
        #expect(other.status == row.status, "\(row.name)")
      } else {
        #expect(
          other.status == .notDetermined || shared.contains(other.reason), "\(row.name)")
      }
    }
  }

  /// Returns the situation with everything that is about the microphone moved to system audio.
  private static func moved(_ situation: Situation) -> Situation {
    var moved = situation.about([.systemAudio])
    if let ledger = situation.records.ledger {
      var records = Records()
      for entry in ledger.records.entries { records[entry.subject.other] = entry.record }
      moved.records = .of(records, ledger.owner)
    }
    if case .usable(let policies) = situation.policies {
      moved.policies = .usable(
        policies.map { policy in
          Policy(
            file: policy.file,
            rules: policy.rules.map {
              Rule(
                service: .systemAudio, status: $0.status, reason: $0.reason, contact: $0.contact)
            }, allowsPrompt: policy.allowsPrompt)
        })
    }
    return moved
  }

  /// Records, policies and the expected decision about both services together.
  private static let together: [(Situation, AuthorizationStatus, Service, String)] = [
    (.alice(about: both), .notDetermined, .microphone, "nothing is decided"),
    (
      .alice(.of([.everyone: .forever]), about: both), .notDetermined, .systemAudio,
      "a grant of the microphone is none of system audio"
    ),
    (
      .alice(.of([.everyone: .forever, Subject.everyone.other: .denial]), about: both), .denied,
      .systemAudio, "a refusal next to a grant"
    ),
    (
      .alice(.of([.everyone: .denial]), policies: .restrictsSystemAudio, about: both), .restricted,
      .systemAudio, "a restriction next to a refusal"
    ),
    (
      .alice(.of([.everyone: .denial]), about: both), .denied, .microphone,
      "a refusal next to no decision"
    ),
    (
      .alice(.of([.everyone: .forever, Subject.everyone.other: .anHour]), about: both), .authorized,
      .systemAudio, "the grant that ends first"
    ),
    (
      .alice(.of([.everyone: .forever]), policies: .authorizesSystemAudio, about: both),
      .authorized, .microphone, "a grant and a policy"
    ),
  ]

  @Test("The strictest decision applies to a take that needs both services")
  func strictest() {
    for (situation, status, service, name) in Self.together {
      let decision = situation.decide()
      #expect(decision.status == status && decision.service == service, "\(name)")
    }
    let timed = Self.together[5].0.decide()
    #expect(timed.remaining == .seconds(3_600))
  }

  @Test("An answer at the prompt applies to the undecided services only")
  func answers() throws {
    let half = Situation.alice(.of([.everyone: .anHour]), about: Self.both)
    #expect(half.undecided == [.systemAudio])
    let records = half.after(.request(.always)).records.ledger?.records
    #expect(records?[.everyone] == .anHour && records?[Subject.everyone.other]?.by == .prompt)
    let neither = Situation.alice(about: Self.both, session: "take-1")
    #expect(neither.after(.request(.never)).decisions.allSatisfy { $0.status == .denied })
    let once = neither.after(.request(.onlyThisTime))
    #expect(once.decisions.map(\.reason) == [.once, .once])
    var another = once
    another.session = nil
    #expect(another.decide().status == .notDetermined)
    let refused = Situation.alice(.of([.everyone: .denial]), about: Self.both)
    #expect(refused.transition(of: .request(.always)) == .none)
  }

  @Test("A revocation of one service keeps the grants of the other, also of a session")
  func revokeOne() throws {
    let grants: Records = [.everyone: .forever, Subject.everyone.other: .forever]
    let situation = Situation.alice(.of(grants), about: Self.both, session: "take-1")
    let revoked = situation.about([.systemAudio]).after(.revoke)
    #expect(revoked.about([.microphone]).decide().status == .authorized)
    #expect(revoked.decide().status == .denied)
    let all = situation.after(.revoke)
    #expect(all.decisions.allSatisfy { $0.status == .denied && $0.reason == .user })

    let once = Situation.alice(about: Self.both, session: "take-1")
      .after(.request(.onlyThisTime))
    for service in Service.allCases {
      let left = once.about([service]).after(.revoke).about([service]).after(.reset(force: false))
      #expect(left.about([service]).decide().status == .notDetermined)
      #expect(left.about(Self.both.subtracting([service])).decide().reason == .once)
    }
  }

  @Test("Grants for one recording of both services are used up together, or not at all")
  func consume() throws {
    let scratch = try Scratch()
    let authority = scratch.authority()
    let session = known(SessionID("take-1"))
    let query = AccessQuery(Self.both, session: session)
    try scratch.record(.once)
    #expect(try authority.consume(for: session, query).decide().status == .notDetermined)
    #expect(authority.decide(AccessQuery()).reason == .once, "still unused")
    try scratch.record(.once, for: Scope([.systemAudio], .everyone))
    #expect(try authority.consume(for: session, query).decide().status == .authorized)
    #expect(authority.decide(query).reason == .once)
    #expect(authority.decide(AccessQuery(Self.both)).status == .notDetermined)
    // A session grant of one service is joined with that of the other.
    let second = known(SessionID("take-2"))
    let mixed = AccessQuery(Self.both, session: second)
    try scratch.record(.once)
    _ = try authority.perform(
      .request(.onlyThisTime), AccessQuery([.systemAudio], session: second))
    #expect(try authority.consume(for: second, mixed).decide().status == .authorized)
    #expect(authority.decide(mixed).status == .authorized)
  }

  @Test("Each event names its service, and a command on both services has an event for each")
  func audited() throws {
    let scratch = try Scratch()
    let authority = scratch.authority()
    _ = try authority.perform(.grant(.forever), AccessQuery([.systemAudio]))
    _ = try authority.perform(.revoke, AccessQuery(Self.both))
    _ = try authority.perform(.request(.noTerminal), AccessQuery([.systemAudio]))
    let entries = try scratch.store.audit.log().entries
    let told = entries.map { entry in
      ["event", "service", "from", "to"].compactMap { entry.json[$0]?.string }
        .joined(separator: " ")
    }
    #expect(
      told == [
        "grant systemAudio notDetermined authorized", "revoke microphone notDetermined denied",
        "revoke systemAudio authorized denied", "refuse systemAudio denied",
      ])
    #expect(entries[0].text.contains("  service system-audio  "))
  }

  @Test("A refused take names the services, and suggests a grant of each")
  func words() {
    let phrasing = PermissionPhrasing()
    func lines(_ situation: Situation, _ command: PermissionCommand) -> [String] {
      phrasing.summary(PermissionOutcome(onPaper: command, in: situation)).lines
    }
    let undecided = lines(.alice(about: Self.both), .request(.noTerminal))
    #expect(
      undecided == [
        "Access to the microphone and to system audio is undecided, and there is no terminal to "
          + "ask on.",
        "To allow the microphone: recorder permission grant",
        "To allow system audio: recorder permission grant system-audio",
      ])
    let half = Situation.alice(
      .of([.everyone: .forever, Subject.everyone.other: .denial]), about: Self.both)
    #expect(
      lines(half, .request(.noTerminal)) == [
        "System audio: refused by you",
        "Access was refused on 2026-03-01T09:00:00Z, by recorder permission revoke.",
        "To allow it: recorder permission grant system-audio",
        "To be asked again: recorder permission reset system-audio",
      ])
    #expect(
      phrasing.loss(half.decide(), of: .alice).hasPrefix("access to system audio was refused on "))
    #expect(
      lines(.alice(about: Self.both), .revoke).first
        == "Access to the microphone and to system audio is refused from now on.")
  }

  @Test("The advice on one service leaves the decision about the other")
  func advice() {
    let grants: Records = [.everyone: .forever, Subject.everyone.other: .denial]
    let situation = Situation.alice(.of(grants))
    #expect(
      PermissionPhrasing().advice(in: situation) == [
        "To refuse it: recorder permission revoke microphone"
      ])
    #expect(
      PermissionPhrasing().advice(in: situation.about([.systemAudio])) == [
        "To allow it: recorder permission grant system-audio",
        "To be asked again: recorder permission reset system-audio",
      ])
  }
}
