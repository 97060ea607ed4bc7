import Commands
import Testing

@testable import Permission

/// A row of a table: a situation and the expected decision.
struct Case: CustomTestStringConvertible, Sendable {
  let name: String
  let situation: Situation
  let status: AuthorizationStatus
  let reason: Reason?

  init(
    _ name: String, _ situation: Situation, _ status: AuthorizationStatus, _ reason: Reason?
  ) {
    (self.name, self.situation, self.status, self.reason) = (name, situation, status, reason)
  }

  var testDescription: String { name }
}

struct DecisionTests {
  static let denying = CallRestrictions(refusal: .variable)

  @Test("The numbers are those of AVAuthorizationStatus")
  func rawValues() {
    #expect(AuthorizationStatus.allCases.map(\.rawValue) == [0, 1, 2, 3])
    #expect(
      AuthorizationStatus.allCases.map(\.word) == [
        "notDetermined", "restricted", "denied", "authorized",
      ])
  }

  /// Each row has priority over all later ones, because its situation also contains their facts.
  static let precedence = [
    Case(
      "1: an unusable policy",
      .alice(.broken, policies: .broken, restrictions: denying), .denied, .policyUnusable),
    Case(
      "2: a restriction",
      .alice(.broken, policies: .restrictsAll, restrictions: denying), .restricted, .policy),
    Case("3: the variable", .alice(.broken, restrictions: denying), .denied, .environment),
    Case(
      "3: the option, over a grant",
      .alice(.of([.everyone: .forever]), restrictions: CallRestrictions(refusal: .option)), .denied,
      .environment),
    Case(
      "4: an unusable store", .alice(.broken, policies: .authorizesAll), .denied, .storeUnusable),
    Case(
      "5: the user's no, over the policy's yes",
      .alice(.of([.everyone: .denial]), policies: .authorizesAll), .denied, .user),
    Case(
      "5: a marker, over the policy's yes",
      .alice(.marker("/s/permissions.denied"), policies: .authorizesAll), .denied, .user),
    Case("6: forever", .alice(.of([.everyone: .forever])), .authorized, .user),
    Case("6: always, at the prompt", .alice(.of([.everyone: .always])), .authorized, .prompt),
    Case("6: once", .alice(.of([.everyone: .once])), .authorized, .once),
    Case("6: an hour", .alice(.of([.everyone: .anHour])), .authorized, .timed),
    Case(
      "6: an hour, and the policy's yes behind it",
      .alice(.of([.everyone: .anHour]), policies: .authorizesAll), .authorized, .timed),
    Case("7: the policy", .alice(policies: .authorizesAll), .authorized, .policy),
    Case(
      "7: the policy, when the grant is over",
      .alice(
        .of([.everyone: .once]), policies: .authorizesAll, clock: .morning.later(.seconds(601))),
      .authorized, .policy),
    Case("8: nothing", .alice(), .notDetermined, nil),
    Case("8: an empty store", .alice(.of([:])), .notDetermined, nil),
    Case(
      "8: an expired grant",
      .alice(.of([.everyone: .anHour]), clock: .morning.later(.seconds(3_600))),
      .notDetermined, .expired),
  ]

  @Test("The first row that applies decides", arguments: precedence)
  func firstRowDecides(row: Case) {
    let decision = row.situation.decide()
    #expect(decision.status == row.status)
    #expect(decision.reason == row.reason)
  }

  static let scope = [
    Case(
      "everyone's no is a client's no",
      .alice(.of([.everyone: .denial]), client: .dictation), .denied, .user),
    Case(
      "everyone's no stands over a client's yes",
      .alice(.of([.everyone: .denial, .dictation: .forever]), client: .dictation), .denied, .user),
    Case(
      "everyone's yes is nobody else's",
      .alice(.of([.everyone: .forever]), client: .dictation), .notDetermined, nil),
    Case(
      "a client's yes is its own",
      .alice(.of([.dictation: .forever]), client: .dictation), .authorized, .user),
    Case(
      "a client's yes is not everyone's", .alice(.of([.dictation: .forever])), .notDetermined, nil),
    Case(
      "a client's no is not everyone's", .alice(.of([.dictation: .denial])), .notDetermined, nil),
    Case(
      "a client's no, beside everyone's yes",
      .alice(.of([.dictation: .denial, .everyone: .forever]), client: .dictation), .denied, .user),
    Case(
      "a no of another machine is honoured",
      .alice(.of([.everyone: .denial], .elsewhere)), .denied, .user),
    Case(
      "a yes of another machine is not",
      .alice(.of([.everyone: .forever], .elsewhere)), .notDetermined, nil),
    Case(
      "a yes of another user is not",
      .alice(.of([.everyone: .forever], StoreOwner(user: 0, machine: "here"))), .notDetermined, nil),
    Case(
      "a session grant is its session's", .alice(.passing(), session: "take-1"), .authorized, .once),
    Case(
      "a session grant is no other session's", .alice(.passing(), session: "take-2"),
      .notDetermined, nil),
    Case("a session grant is not everyone's", .alice(.passing()), .notDetermined, nil),
    Case(
      "a session grant is not another client's",
      .alice(.passing(), client: .dictation, session: "take-1"), .notDetermined, nil),
    Case(
      "a session grant of another machine is none",
      .alice(.passing([:], .elsewhere), session: "take-1"), .notDetermined, nil),
    Case(
      "a no stands over a session grant",
      .alice(.passing([.everyone: .denial]), session: "take-1"), .denied, .user),
    Case(
      "a session grant outlives a grant that ends",
      .alice(
        .passing([.everyone: .once]), clock: .morning.later(.seconds(9_999)), session: "take-1"),
      .authorized, .once),
    Case(
      "a session grant ends with its boot",
      .alice(
        .passing(), clock: .morning.restarted(after: .seconds(60)), session: "take-1"),
      .notDetermined, nil),
  ]

  @Test("A record counts within its scope", arguments: scope)
  func scopeOfRecords(row: Case) {
    let decision = row.situation.decide()
    #expect(decision.status == row.status)
    #expect(decision.reason == row.reason)
  }

  @Test("A foreign grant is mentioned, and so is a machine without identity")
  func notes() {
    let foreign = Situation.alice(.of([.everyone: .forever], .elsewhere))
    #expect(foreign.decide().notes == [.foreignGrant])
    var chroot = Situation.alice()
    chroot.owner = StoreOwner(user: 1_000, machineID: "")
    #expect(chroot.decide().notes == [.noMachine])
  }

  @Test("A used grant for one recording is noted until the machine restarts")
  func usedGrant() {
    let used = Situation.alice(.passing([:]))
    #expect(used.decide().status == .notDetermined)
    #expect(used.decide().notes == [.usedGrant])
    #expect(Situation.alice(.passing([.everyone: .forever])).decide().notes.isEmpty)
    var rebooted = used
    rebooted.clock = ClockReading(boottime: .seconds(60), wall: used.clock.wall, boot: "boot-b")
    #expect(rebooted.decide().notes.isEmpty)
  }

  @Test("Asking is possible only if nothing is decided and nothing forbids it")
  func prompting() {
    #expect(Situation.alice().decide().noPrompt == nil)
    #expect(Situation.alice(.of([.everyone: .forever])).decide().noPrompt == .decided)
    #expect(
      Situation.alice(restrictions: CallRestrictions(forbidsPrompt: true)).decide().noPrompt
        == .callRestriction)
    let silent = Policies.of(allowsPrompt: false)
    #expect(
      Situation.alice(policies: silent).decide().noPrompt == .policy(file: "/p/10-site.json"))
  }

  @Test(
    "The status has its exit code",
    arguments: [
      (Situation.alice(), 20), (.alice(.of([.everyone: .denial])), 21),
      (.alice(policies: .restrictsAll), 22), (.alice(.broken), 23),
      (.alice(policies: .broken), 23), (.alice(.of([.everyone: .forever])), 0),
    ] as [(Situation, Int32)])
  func exits(situation: Situation, code: Int32) {
    #expect(situation.decide().exitCode.rawValue == code)
  }

  @Test("The only value of the variable is deny, and no variable can allow")
  func environment() throws {
    #expect(try CallRestrictions(deny: false, permission: nil, noPrompt: nil) == CallRestrictions())
    #expect(
      try CallRestrictions(deny: false, permission: "deny", noPrompt: nil).refusal == .variable)
    #expect(try CallRestrictions(deny: true, permission: nil, noPrompt: nil).refusal == .option)
    #expect(try CallRestrictions(deny: false, permission: "", noPrompt: "1").forbidsPrompt)
    #expect(try !CallRestrictions(deny: false, permission: "", noPrompt: "0").forbidsPrompt)
    for value in ["allow", "authorized", "grant", "Deny", "1", " deny", "\u{1B}[2J"] {
      #expect(throws: CallRestrictions.UsageError(value: value)) {
        try CallRestrictions(deny: false, permission: value, noPrompt: nil)
      }
    }
    #expect(!CallRestrictions.UsageError(value: "\u{1B}[2J").description.contains("\u{1B}"))
  }

  @Test("A client's name is a plain label or the star")
  func clients() {
    for name in ["*", "a", "org.example-1_x", String(repeating: "a", count: 64)] {
      #expect(Client(name)?.name == name)
    }
    for name in ["", "A", "a b", "ä", "**", "a/b", "a\n", String(repeating: "a", count: 65)] {
      #expect(Client(name) == nil)
      #expect(SessionID(name) == nil)
    }
    #expect(SessionID("*") == nil)
  }
}
