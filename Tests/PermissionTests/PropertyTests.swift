import Linux
import Support
import Testing

@testable import Commands
@testable import Permission

/// Draws random situations that contain everything together: policies, variables, records, clocks,
/// clients.
struct Draw {
  var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func one<Value>(of values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &generator)]
  }

  mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
    Int64.random(in: range, using: &generator)
  }

  mutating func clock() -> ClockReading {
    ClockReading(
      boottime: .seconds(number(0...100_000)),
      wall: ClockReading.morning.wall + .seconds(number(-200_000...200_000)),
      boot: one(of: ["boot-a", "boot-b", "boot-c", nil]))
  }

  mutating func term() -> GrantTerm {
    one(of: [.forever, .once, .lasting(.seconds(number(1...100_000)))])
  }

  mutating func record(_ clock: ClockReading) -> Record {
    let limit = GrantLimit(.seconds(number(10...20_000)), from: clock)
    let consents: [Record.Consent?] = [
      .denied, .forever, limit.map { .timed($0) }, limit.map { .once($0) },
    ]
    return Record(one(of: consents) ?? .denied, at: clock.wall, by: one(of: [.prompt, .command]))
  }

  mutating func records(_ clock: ClockReading) -> UserRecords {
    var records = Records()
    for subject in [Subject.everyone, .dictation] {
      for subject in [subject, subject.other] where one(of: [true, false]) {
        records[subject] = record(clock)
      }
    }
    return one(of: [
      .absent, .broken, .marker("/s/permissions.denied"), .of(records), .of(records, .elsewhere),
      .of(records), .passing(records),
    ])
  }

  mutating func rule() -> Rule {
    Rule(
      service: one(of: [.microphone, .microphone, .systemAudio]),
      users: one(of: [[], [], ["alice"], ["bob"]]), groups: one(of: [[], ["audio"], ["video"]]),
      devices: one(of: [[], [known(Glob("hw:Exam*"))]]),
      status: one(of: [.restricted, .authorized]))
  }

  mutating func policies() -> Policies {
    let files = (0..<number(0...2)).map {
      Policy(file: "/p/\($0).json", rules: [rule()], allowsPrompt: one(of: [true, true, false]))
    }
    return one(of: [.usable(files), .usable(files), .usable([]), .usable([]), .broken])
  }

  mutating func situation() -> Situation {
    let clock = clock()
    return Situation(
      policies: policies(),
      restrictions: CallRestrictions(
        refusal: one(of: [nil, nil, nil, .option, .variable]),
        forbidsPrompt: one(of: [true, false])),
      records: records(one(of: [clock, self.clock()])), clock: clock,
      account: one(of: [.alice, .nameless]), owner: .here, services: services(),
      client: one(of: [.everyone, .dictation]),
      device: one(of: [
        .unspecified, .unresolved, PolicyRuleTests.examMic,
        .several([PolicyRuleTests.examMic, PolicyRuleTests.laptop]),
      ]),
      session: one(of: [nil, SessionID("take-1"), SessionID("take-2")]))
  }

  mutating func services() -> Set<Service> {
    one(of: [[.microphone], [.microphone], [.systemAudio], Set(Service.allCases)])
  }

  mutating func command() -> PermissionCommand {
    one(of: [
      .status, .grant(term()), .revoke, .reset(force: false), .reset(force: true),
      .request(
        one(of: [.always, .onlyThisTime, .never, .notNow, .interrupted, .noTerminal])),
    ])
  }
}

struct PropertyTests {
  private static let rounds = isThorough ? 120_000 : 20_000

  @Test("Only an explicit grant turns a refusal into an authorization")
  func onlyGrantsAuthorize() {
    var draw = Draw(seed: 1)
    var authorizedByCommand = 0
    for _ in 0..<Self.rounds {
      let before = draw.situation()
      let command = draw.command()
      let after = before.after(command)
      guard before.decide().status != .authorized, after.decide().status == .authorized else {
        continue
      }
      authorizedByCommand += 1
      switch command {
      case .grant, .request(.always), .request(.onlyThisTime): break
      // A reset of the user's own refusal leaves the decision to an administrator's policy, and
      // only to that.
      case .reset: #expect(after.decide().reason == .policy)
      default: Issue.record("\(command) authorized \(before)")
      }
    }
    #expect(authorizedByCommand > Self.rounds / 120, "too few cases to mean anything")
  }

  @Test("A refusal always has effect, despite any other facts")
  func refusalsStand() {
    var draw = Draw(seed: 2)
    for _ in 0..<Self.rounds {
      let situation = draw.situation()
      guard situation.decide().status == .authorized else { continue }
      #expect(situation.restrictions.refusal == nil)
      for service in situation.services {
        expectNoRefusal(of: service, in: situation)
      }
      if case .unusable = situation.policies { Issue.record("authorized under a bad policy") }
      var strict = situation
      strict.restrictions = CallRestrictions(refusal: .variable)
      #expect(strict.decide().status == .denied)
    }
  }

  private func expectNoRefusal(of service: Service, in situation: Situation) {
    let reason = situation.about([service]).decide().reason
    let restriction = situation.policies.first(
      .restricted, of: service, for: situation.account,
      with: service == .microphone ? situation.device : .unresolved)
    #expect(restriction == nil)
    switch situation.records {
    case .absent: #expect(reason == .policy)
    case .ledger(let ledger):
      #expect(ledger.records[Subject(service, .everyone)]?.isDenial != true)
      #expect(ledger.records[Subject(service, situation.client)]?.isDenial != true)
      let foreign = ledger.owner != situation.owner
      #expect(!foreign || reason == .policy)
    case .marker, .unusable: Issue.record("authorized by \(situation.records)")
    }
  }

  @Test("A command changes no decision about another service")
  func servicesAreIndependent() {
    var draw = Draw(seed: 6)
    var changes = 0
    for _ in 0..<Self.rounds {
      let before = draw.situation()
      // A marker and a file that cannot be trusted refuse all services. A change on this machine
      // removes the grants of other machines and of sessions before a restart.
      guard let ledger = before.records.ledger, ledger.owner == before.owner,
        ledger.sessionGrants.isEmpty
      else { continue }
      let after = before.after(draw.command())
      if after != before { changes += 1 }
      let others = Set(Service.allCases).subtracting(before.services)
      guard !others.isEmpty else { continue }
      #expect(before.about(others).decide() == after.about(others).decide())
    }
    #expect(changes > Self.rounds / 20, "too few cases to mean anything")
  }

  @Test("Several services together are authorized only if each of them is")
  func together() {
    var draw = Draw(seed: 7)
    var mixed = 0
    for _ in 0..<Self.rounds {
      let situation = draw.situation().about(Set(Service.allCases))
      let (whole, each) = (situation.decide(), situation.decisions)
      #expect(each.map(\.service) == Service.allCases && each.contains(whole))
      #expect((whole.status == .authorized) == each.allSatisfy { $0.status == .authorized })
      if whole.status == .authorized {
        #expect(whole.remaining == each.compactMap(\.remaining).min())
      }
      if each[0].status != each[1].status { mixed += 1 }
    }
    #expect(mixed > Self.rounds / 20, "too few cases to mean anything")
  }

  @Test("No grant outlives its limit, despite changes of the calendar, sleep and restarts")
  func noGrantOutlivesItsLimit() {
    var draw = Draw(seed: 3)
    var (valid, expired) = (0, 0)
    for _ in 0..<Self.rounds {
      let lasts = Duration.seconds(draw.number(10...20_000))
      let start = draw.clock()
      guard let limit = GrantLimit(lasts, from: start) else { continue }
      let consent: Record.Consent = draw.one(of: [.timed(limit), .once(limit)])
      let record = Record(consent, at: start.wall, by: .command)
      // The time that really passes, including sleep. A part is before a restart, a part after it.
      let passed = Duration.seconds(draw.number(0...40_000))
      let uptime = min(passed, Duration.seconds(draw.number(0...40_000)))
      let restarts = draw.one(of: [true, false])
      let step = Duration.seconds(draw.one(of: [0, 0, 7, -7, 50_000, -50_000]))
      let now = ClockReading(
        boottime: restarts ? uptime : start.boottime + passed, wall: start.wall + passed + step,
        boot: restarts ? "boot-z" : start.boot)
      guard case .valid(let remaining?) = record.validity(now) else {
        expired += 1
        continue
      }
      valid += 1
      #expect(remaining > .zero && remaining <= lasts)
      if restarts {
        #expect(consent == .timed(limit))
        // If the calendar was set back while the machine was off, it hides at most the time before
        // the restart.
        #expect(uptime + remaining <= lasts)
        if step >= .zero { #expect(passed + remaining <= lasts) }
      } else {
        #expect(passed + remaining == lasts)
      }
    }
    let least = Self.rounds / 24
    #expect(valid > least && expired > least, "too few cases to mean anything")
  }

  @Test("The remaining time only decreases while the machine runs")
  func remainingShrinks() {
    var draw = Draw(seed: 4)
    for _ in 0..<50_000 {
      let start = draw.clock()
      let record = draw.record(start)
      let first = start.later(.seconds(draw.number(0...20_000)))
        .calendarMoved(by: .seconds(draw.number(-9_000...9_000)))
      let second = first.later(.seconds(draw.number(0...20_000)))
        .calendarMoved(by: .seconds(draw.number(-9_000...9_000)))
      if case .valid = record.validity(second) {
        #expect(record.validity(first) != .over)
      }
    }
  }

  @Test("Every advice to grant works, in 20,000 situations")
  func adviceWorks() {
    var draw = Draw(seed: 5)
    for _ in 0..<20_000 {
      let situation = draw.situation()
      for line in PermissionPhrasing().advice(in: situation) where line.contains("To allow ") {
        let service = line.contains("grant system-audio") ? Service.systemAudio : .microphone
        var next = situation
        if line.contains(", and then") {
          // Without a service, the reset applies to both.
          if line.contains("reset \(service == .microphone ? "microphone" : "system-audio")") {
            next.services = [service]
          }
          next.client = .everyone
          next = next.after(.reset(force: false))
          next.client = situation.client
        }
        next.services = [service]
        #expect(next.after(.grant(.forever)).decide().status == .authorized, "\(situation) \(line)")
      }
    }
  }
}
