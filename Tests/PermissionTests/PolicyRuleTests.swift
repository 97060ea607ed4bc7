import Testing

@testable import Permission

struct PolicyRuleTests {
  static let examMic = RequestedDevice.card(names: [
    "hw:1,0", "hw:CARD=ExamMic,DEV=0", "hw:ExamMic,0",
  ])
  static let laptop = RequestedDevice.card(names: ["hw:0,0", "hw:CARD=PCH,DEV=0", "hw:PCH,0"])

  /// A rule with an account and a device, and whether the rule restricts and authorizes them.
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let rule: @Sendable (Rule.Status) -> Rule
    var account = Account.alice
    var device = PolicyRuleTests.laptop
    let restricts: Bool
    let authorizes: Bool

    var testDescription: String { name }
  }

  static func people(users: [String] = [], groups: [String] = []) -> @Sendable (Rule.Status) -> Rule
  {
    { Rule(users: users, groups: groups, status: $0) }
  }

  static func devices(_ patterns: String...) -> @Sendable (Rule.Status) -> Rule {
    { Rule(devices: patterns.compactMap(Glob.init), status: $0) }
  }

  static let rows = [
    Row(name: "everyone", rule: people(), restricts: true, authorizes: true),
    Row(
      name: "her name", rule: people(users: ["bob", "alice"]), restricts: true, authorizes: true),
    Row(name: "her number", rule: people(users: ["1000"]), restricts: true, authorizes: true),
    Row(
      name: "another", rule: people(users: ["bob", "1001"]), restricts: false, authorizes: false),
    Row(name: "her group", rule: people(groups: ["audio"]), restricts: true, authorizes: true),
    Row(
      name: "her group's number", rule: people(groups: ["29"]), restricts: true, authorizes: true),
    Row(
      name: "another group", rule: people(groups: ["video"]), restricts: false, authorizes: false),
    Row(
      name: "another user or her group", rule: people(users: ["bob"], groups: ["audio"]),
      restricts: true, authorizes: true),
    Row(
      name: "a name, of a user without one", rule: people(users: ["bob"]), account: .nameless,
      restricts: true, authorizes: false),
    Row(
      name: "a number, of a user without a name", rule: people(users: ["77"]), account: .nameless,
      restricts: false, authorizes: false),
    Row(
      name: "a group's name, of a group without one", rule: people(groups: ["exam"]),
      account: .nameless, restricts: true, authorizes: false),
    Row(
      name: "the card", rule: devices("hw:Exam*"), device: examMic, restricts: true,
      authorizes: true),
    Row(name: "another card", rule: devices("hw:Exam*"), restricts: false, authorizes: false),
    Row(
      name: "a plugin without a card", rule: devices("hw:Exam*"), device: .unresolved,
      restricts: true, authorizes: false),
    Row(
      name: "the cards of all tracks", rule: devices("hw:Exam*", "hw:PCH,?"),
      device: .several([examMic, laptop]), restricts: true, authorizes: true),
    Row(
      name: "the card of one of two tracks", rule: devices("hw:Exam*"),
      device: .several([laptop, examMic]), restricts: true, authorizes: false),
    Row(
      name: "the cards of no track", rule: devices("hw:Exam*"),
      device: .several([laptop, laptop]), restricts: false, authorizes: false),
    Row(
      name: "two tracks, one without a card", rule: devices("hw:Exam*"),
      device: .several([laptop, .unresolved]), restricts: true, authorizes: false),
    Row(
      name: "a covered track, and one without a card", rule: devices("*"),
      device: .several([laptop, .unresolved]), restricts: true, authorizes: false),
    Row(
      name: "no device named", rule: devices("*"), device: .unspecified, restricts: false,
      authorizes: false),
    Row(
      name: "her group but another card",
      rule: { Rule(groups: ["audio"], devices: [known(Glob("hw:Exam*"))], status: $0) },
      restricts: false, authorizes: false),
  ]

  @Test("A rule holds for the users and devices that it names", arguments: rows)
  func holds(row: Row) {
    #expect(row.rule(.restricted).holds(for: row.account, with: row.device) == row.restricts)
    #expect(row.rule(.authorized).holds(for: row.account, with: row.device) == row.authorizes)
  }

  @Test("A restriction has priority over an authorization, in any file")
  func restrictedBeatsAuthorized() {
    let policies = Policies.usable([
      Policy(file: "/p/1.json", rules: [Rule(status: .authorized)], allowsPrompt: true),
      Policy(file: "/p/2.json", rules: [Rule(status: .restricted)], allowsPrompt: true),
    ])
    let decision = Situation.alice(policies: policies).decide()
    #expect(decision.status == .restricted)
    #expect(decision.source == .policy(PolicySource(file: "/p/2.json", reason: nil, contact: nil)))
  }

  @Test(
    "A rule applies to its own service only, and a rule for cards never authorizes system audio",
    arguments: [RequestedDevice.unspecified, .unresolved, examMic])
  func services(device: RequestedDevice) {
    let any = [known(Glob("*"))]
    let cases: [(Rule, microphone: AuthorizationStatus, systemAudio: AuthorizationStatus)] = [
      (Rule(status: .restricted), .restricted, .notDetermined),
      (Rule(service: .systemAudio, status: .restricted), .notDetermined, .restricted),
      (Rule(service: .systemAudio, status: .authorized), .notDetermined, .authorized),
      (
        Rule(service: .systemAudio, devices: any, status: .authorized), .notDetermined,
        .notDetermined
      ),
      (
        Rule(service: .systemAudio, devices: any, status: .restricted), .notDetermined,
        .restricted
      ),
    ]
    for (rule, microphone, systemAudio) in cases {
      let situation = Situation.alice(policies: .of(rule), device: device)
      #expect(situation.decide().status == microphone, "\(rule)")
      #expect(situation.about([.systemAudio]).decide().status == systemAudio, "\(rule)")
    }
  }

  @Test("If no device is named, a restriction of some devices is noted")
  func someDevices() {
    let policies = Policies.of(Rule(devices: [known(Glob("hw:Exam*"))], status: .restricted))
    let decision = Situation.alice(policies: policies).decide()
    #expect(decision.status == .notDetermined)
    #expect(decision.notes == [.someDevices(file: "/p/10-site.json")])
    #expect(
      Situation.alice(policies: policies, device: Self.examMic).decide().status == .restricted)
  }

  @Test(
    "A pattern fits the whole name",
    arguments: [
      ("hw:Exam*", "hw:ExamMic,0", true), ("hw:Exam*", "hw:Exam", true),
      ("hw:Exam*", "plughw:Exam", false), ("*", "", true), ("?", "", false), ("?", "ä", true),
      ("a*b*c", "a-b-b-c", true), ("a*b*c", "a-c-b", false), ("**", "x", true),
      ("hw:?,0", "hw:1,0", true), ("hw:?,0", "hw:10,0", false), ("a", "A", false),
    ])
  func globs(pattern: String, name: String, fits: Bool) throws {
    #expect(try #require(Glob(pattern)).matches(name) == fits)
  }

  @Test("A pattern with other shell syntax is refused")
  func noGlobs() {
    for pattern in ["", "[ab]", "a]", #"a\*"#] { #expect(Glob(pattern) == nil) }
  }

  @Test("A hostile pattern does not take long", .timeLimit(.minutes(10)))
  func hostilePattern() throws {
    let glob = try #require(Glob(String(repeating: "*a", count: 500) + "b"))
    #expect(!glob.matches(String(repeating: "a", count: 5_000)))
  }
}
