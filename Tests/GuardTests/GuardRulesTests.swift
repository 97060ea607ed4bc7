import Linux
import Permission
import Testing

@testable import Guard
@testable import PipeWire

@Suite("The rules of the guard")
struct GuardRulesTests {
  private static let program = GuardedProgram(
    client: Client(.path(Path("/usr/bin/aplay"))), title: "arecord",
    process: ProcessFacts(of: 1, executable: "/usr/bin/aplay"), session: SessionID("guard.7.1"))
  private static let use = Graph.Use(client: 40, node: 50, source: 30, isPlayed: false)
  private static let link = Graph.Link(output: 60, input: 70)
  private static let linked = [use: UsedLinks([80: link], of: "Built-in")]

  private var rules = GuardRules(.ask)

  /// Follows a graph in which the program has, or would have, this status.
  private mutating func follow(
    _ used: [Graph.Use: UsedLinks] = Self.linked, _ status: AuthorizationStatus = .notDetermined,
    nodes: Set<UInt32> = [50], at second: Int = 0, mayAsk: Bool = true
  ) -> [GuardStep] {
    rules.follow(used, nodes: .serials(of: nodes), at: .seconds(second)) { _ in
      (Self.program, status, mayAsk)
    }
  }

  private static let began = GuardStep.began(use, program, device: "Built-in")
  private static let restored = [GuardStep.restore(link, of: use)]

  private static func refused(_ count: Int = 1) -> GuardStep {
    .refused(use, program, device: "Built-in", count)
  }

  @Test("An allowed program keeps its links, and its use is logged from begin to end")
  mutating func allowed() {
    #expect(follow(Self.linked, .authorized) == [Self.began])
    #expect(follow(Self.linked, .authorized, at: 1) == [])
    #expect(rules.allowed.map(\.use) == [Self.use])
    #expect(
      follow([:], .authorized, at: 3)
        == [.ended(Self.use, Self.program, device: "Built-in", .seconds(3))])
  }

  @Test("A refused program loses its links, and gets them back once it is allowed")
  mutating func refused() {
    #expect(follow(Self.linked, .denied) == [.cut(80), Self.refused()])
    #expect(follow([:], .denied, at: 1) == [])
    #expect(follow([:], .authorized, at: 2) == Self.restored)
    #expect(follow([:], .authorized, at: 3) == [])
    #expect(follow(Self.linked, .authorized, at: 3) == [Self.began])
  }

  @Test("A stream that has ended gets no links back")
  mutating func vanished() {
    _ = follow(Self.linked, .denied)
    #expect(follow([:], .denied, nodes: []) == [])
    #expect(follow([:], .authorized, nodes: [50]) == [])
  }

  @Test("A revocation cuts the links, and ends the use in the log")
  mutating func revoked() {
    _ = follow(Self.linked, .authorized)
    #expect(
      follow(Self.linked, .denied, at: 5) == [
        .cut(80), .ended(Self.use, Self.program, device: "Built-in", .seconds(5)), Self.refused(),
      ])
  }

  @Test("There is one question about a program, however often it tries")
  mutating func question() throws {
    let steps = follow()
    guard case .ask(let question) = try #require(steps.last) else {
      Issue.record("\(steps)")
      return
    }
    #expect(steps.first == .cut(80) && question.deadline == .seconds(60))
    for stream in UInt32(51)..<1_051 {
      let use = Graph.Use(client: 40, node: stream, source: 30, isPlayed: false)
      let steps = follow(
        [use: UsedLinks([stream + 1_000: Self.link], of: "Built-in")], nodes: [50, stream])
      #expect(steps.contains(.cut(stream + 1_000)))
    }
    #expect(rules.openQuestions == [question])
    #expect(rules.take(question.number) == question)
    #expect(rules.take(question.number) == nil)
  }

  @Test("10,000 waiting streams cause one question, and each pass examines each of them one time")
  mutating func flood() {
    var used: [Graph.Use: UsedLinks] = [:]
    for stream in UInt32(1)...10_000 {
      let use = Graph.Use(client: 40, node: stream, source: 30, isPlayed: false)
      used[use] = UsedLinks([:], of: "Built-in")
    }
    let nodes = [UInt32: String].serials(of: Set(used.keys.map(\.node)))
    for second in 0..<3 {
      var looks = 0
      let steps = rules.follow(used, nodes: nodes, at: .seconds(second)) { _ in
        looks += 1
        return (Self.program, .notDetermined, true)
      }
      #expect(steps.count == (second == 0 ? 1 : 0) && looks == 10_000)
    }
    #expect(rules.openQuestions.count == 1)
  }

  @Test("Copies of a program cause a limited number of questions, and the others are refused")
  mutating func copies() {
    var used: [Graph.Use: UsedLinks] = [:]
    for client in UInt32(0)..<100 {
      let use = Graph.Use(client: client, node: client, source: 30, isPlayed: false)
      used[use] = UsedLinks([:], of: "Built-in")
    }
    let steps = rules.follow(used, nodes: .serials(of: Set(0..<100)), at: .zero) { use in
      let program = GuardedProgram(
        client: Client(.path(Path("/tmp/copy\(use.client)"))), title: "copy",
        process: Self.program.process, session: SessionID("guard.7.\(use.client)"))
      return (program, .notDetermined, true)
    }
    let refusals = steps.count { if case .refused = $0 { true } else { false } }
    #expect(rules.openQuestions.count == GuardQuestions.most && steps.count == 100)
    #expect(refusals == 100 - GuardQuestions.most)
  }

  @Test("A question without an answer counts as refused, and is not repeated immediately")
  mutating func silence() throws {
    _ = follow()
    #expect(follow([:], at: 59) == [])
    let question = try #require(rules.openQuestions.first)
    #expect(follow([:], at: 60) == [.expire(question), Self.refused()])
    #expect(follow(Self.linked, at: 120) == [.cut(80)])
    #expect(rules.openQuestions == [])
    let later = follow(Self.linked, at: 800)
    #expect(rules.openQuestions.count == 1, "\(later)")
  }

  @Test("If a policy forbids the question, an undecided program is refused")
  mutating func unasked() {
    #expect(follow(mayAsk: false) == [.cut(80), Self.refused()])
    #expect(rules.openQuestions == [])
  }

  @Test("A policy that forbids the question and a refusal withdraw it", arguments: [true, false])
  mutating func refusedMeanwhile(byPolicy: Bool) {
    _ = follow()
    let status = byPolicy ? AuthorizationStatus.notDetermined : .denied
    #expect(follow([:], status, at: 1, mayAsk: !byPolicy) == [.withdraw(1), Self.refused()])
    #expect(follow([:], status, at: 2, mayAsk: !byPolicy) == [] && rules.openQuestions == [])
  }

  /// Returns the counts of the refusals that are logged when the program tries again.
  private mutating func retry(at second: Int) -> [Int] {
    let use = Graph.Use(client: 40, node: UInt32(100 + second), source: 30, isPlayed: false)
    let used = [use: UsedLinks([80: Self.link], of: "Built-in")]
    return counts(follow(used, .denied, nodes: [use.node], at: second))
  }

  private func counts(_ steps: [GuardStep]) -> [Int] {
    steps.compactMap { if case .refused(_, _, _, let count) = $0 { count } else { nil } }
  }

  @Test("Refusals of one program are counted, and logged at a pace that slows down to the pause")
  mutating func many() {
    var logged: [Int: [Int]] = [:]
    for second in 0..<3_600 {
      let counts = retry(at: second)
      if !counts.isEmpty { logged[second] = counts }
    }
    #expect(
      logged.keys.sorted() == [
        0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 1_023, 1_623, 2_223, 2_823, 3_423,
      ])
    #expect(logged[0] == [1] && logged[7] == [4] && logged[3_423] == [600])
    #expect(rules.deadline == .seconds(4_023))
    // The last ones are logged when that time is over, and after a pause it begins again.
    #expect(counts(follow([:], .denied, nodes: [], at: 4_022)) == [])
    #expect(counts(follow([:], .denied, nodes: [], at: 4_023)) == [176] && rules.deadline == nil)
    #expect(follow([:], .denied, nodes: [], at: 4_623) == [])
    #expect(retry(at: 4_624) == [1] && retry(at: 4_625) == [1])
  }

  @Test("Counted refusals are logged before the first allowed use, and at the end of the guard")
  mutating func rest() {
    #expect(retry(at: 0) == [1] && retry(at: 1) == [1] && retry(at: 2) == [])
    let steps = follow(Self.linked, .authorized, at: 2)
    #expect(counts(steps) == [1] && steps.last == Self.began)
    #expect(retry(at: 3) == [1] && retry(at: 4) == [1] && retry(at: 5) == [])
    #expect(counts(rules.takeRefusals()) == [1] && rules.takeRefusals() == [])
  }

  @Test("In the other modes no question is asked", arguments: [GuardMode.deny, .log])
  mutating func modes(mode: GuardMode) {
    rules = GuardRules(mode)
    #expect(follow() == (mode == .log ? [Self.began] : [.cut(80), Self.refused()]))
  }

  @Test("A program that cannot be identified is never asked about")
  mutating func unknown() {
    let unknown = GuardedProgram(
      client: Client(.unknown(.ended)), title: "process 7", process: Self.program.process,
      session: SessionID("guard.7.2"))
    let steps = rules.follow(Self.linked, nodes: [50: "5"], at: .zero) { _ in
      (unknown, .notDetermined, false)
    }
    #expect(steps == [.cut(80), .refused(Self.use, unknown, device: "Built-in", 1)])
  }

  private static let waiting = [use: UsedLinks([:], of: "Built-in")]
  /// The same stream, moved to another device.
  private static let moved = [
    Graph.Use(client: 40, node: 50, source: 31, isPlayed: false): UsedLinks([:], of: "Headset")
  ]

  @Test("A program that waits for a link is asked about once, and begins with the link")
  mutating func waiting() throws {
    guard case .ask(let question)? = follow(Self.waiting).first else {
      Issue.record("no question")
      return
    }
    #expect(follow(Self.waiting, at: 1) == [] && follow(Self.moved, at: 2) == [])
    #expect(rules.take(question.number) == question)
    #expect(follow(Self.waiting, .authorized, at: 3) == [] && rules.allowed.isEmpty)
    #expect(follow(Self.linked, .authorized, at: 4) == [Self.began])
    #expect(
      follow(Self.waiting, .authorized, at: 6)
        == [.ended(Self.use, Self.program, device: "Built-in", .seconds(2))])
  }

  @Test("A program that waits without permission is refused once, and not asked about again")
  mutating func waitsForLong() {
    #expect(follow(Self.waiting, .denied) == [Self.refused()])
    #expect(follow(Self.waiting, .denied, at: 1) == [])
    #expect(follow(Self.moved, .denied, at: 2) == [])
    #expect(follow(Self.waiting, at: 3_000) == [])
    // Another stream is another attempt.
    let other = Graph.Use(client: 40, node: 51, source: 30, isPlayed: false)
    _ = follow([other: UsedLinks([:], of: "Built-in")], nodes: [50, 51], at: 3_001)
    #expect(rules.openQuestions.map(\.use) == [other])
  }

  @Test("A stream that lost its links waits, and is no other attempt")
  mutating func waitsAgain() {
    #expect(follow(Self.linked, .denied) == [.cut(80), Self.refused()])
    #expect(follow(Self.moved, .denied, at: 5) == [])
    #expect(follow(Self.waiting, .authorized, at: 6) == Self.restored)
  }

  @Test("A client whose details have not arrived is cut off, but not asked about and not logged")
  mutating func early() {
    let early = GuardedProgram(
      client: Self.program.client, title: "arecord", process: Self.program.process)
    let steps = rules.follow(Self.linked, nodes: [50: "5"], at: .zero) { _ in
      (early, .notDetermined, true)
    }
    #expect(steps == [.cut(80)] && rules.openQuestions.isEmpty)
    let restored = rules.follow([:], nodes: [50: "5"], at: .seconds(1)) { _ in
      (Self.program, .authorized, true)
    }
    #expect(restored == Self.restored)
  }

  @Test("A program that is identified later is asked about then")
  mutating func identified() {
    let unknown = GuardedProgram(
      client: Client(.unknown(.ended)), title: "process 7", process: Self.program.process,
      session: SessionID("guard.7.2"))
    let steps = rules.follow(Self.waiting, nodes: [50: "5"], at: .zero) { _ in
      (unknown, .notDetermined, false)
    }
    #expect(steps == [.refused(Self.use, unknown, device: "Built-in", 1)])
    _ = follow(Self.waiting, at: 1)
    #expect(rules.openQuestions.count == 1)
  }
}

extension [UInt32: String] {
  /// Returns nodes with serial numbers.
  static func serials(of nodes: Set<UInt32>) -> Self {
    Dictionary(uniqueKeysWithValues: nodes.map { ($0, "\($0 + 1_000)") })
  }
}
