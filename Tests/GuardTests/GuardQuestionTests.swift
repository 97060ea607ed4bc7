import Linux
import Permission
import Testing

@testable import Guard
@testable import PipeWire

/// The tests have connections of one program. Connection 41 has the stream 51, and so on.
@Suite("The questions of the guard")
struct GuardQuestionTests {
  private static let link = Graph.Link(output: 60, input: 70)

  private var rules = GuardRules(.ask)
  /// The status of the connections with another status than `notDetermined`.
  private var decided: [UInt32: AuthorizationStatus] = [:]

  private static func use(_ connection: UInt32) -> Graph.Use {
    Graph.Use(client: connection, node: connection + 10, source: 30, isPlayed: false)
  }

  private static func program(_ connection: UInt32) -> GuardedProgram {
    GuardedProgram(
      client: Client(.path(Path("/usr/bin/aplay"))), title: "arecord",
      process: ProcessFacts(of: 1, executable: "/usr/bin/aplay"),
      session: SessionID("guard.7.\(connection)"))
  }

  private static func refused(_ connection: UInt32) -> GuardStep {
    .refused(use(connection), program(connection), device: "Built-in", 1)
  }

  /// Follows a graph with these connections, of which some have a link.
  private mutating func follow(
    _ connections: [UInt32], linked: [UInt32] = [], at second: Int = 0
  ) -> [GuardStep] {
    let used = linked.map { (Self.use($0), UsedLinks([$0 + 40: Self.link], of: "Built-in")) }
    let decided = decided
    return rules.follow(
      Dictionary(uniqueKeysWithValues: used), nodes: .serials(of: Set(connections.map { $0 + 10 })),
      at: .seconds(second)
    ) { use in
      (Self.program(use.client), decided[use.client] ?? .notDetermined, true)
    }
  }

  /// The connections that the open questions are about.
  private var asked: [UInt32] { rules.openQuestions.map(\.use.client) }

  @Test("A program that leaves before the answer is refused in the log")
  mutating func leaves() {
    _ = follow([41], linked: [41])
    #expect(follow([], at: 1) == [Self.refused(41), .withdraw(1)])
    #expect(follow([], at: 2) == [])
    // At the deadline, it is no longer there to get no answer.
    _ = follow([41], linked: [41], at: 2)
    #expect(follow([], at: 62) == [Self.refused(41), .withdraw(2)])
    #expect(rules.takeRefusals() == [])
  }

  @Test("A program that leaves before each answer is asked about a few times")
  mutating func leavesAgain() {
    var count = 0
    for second in 0..<100 {
      let steps = follow([41], linked: [41], at: 2 * second)
      if steps.contains(where: { if case .ask = $0 { true } else { false } }) { count += 1 }
      _ = follow([], at: 2 * second + 1)
    }
    #expect(count == GuardQuestions.mostWithdrawn)
    _ = follow([41], linked: [41], at: 900)
    #expect(asked == [41])
  }

  @Test("Copies of a program that leave before the answer cause a limited number of questions")
  func copiesLeave() {
    var questions = GuardQuestions()
    var count = 0
    for copy in 0..<100 {
      let program = GuardedProgram(
        client: Client(.path(Path("/tmp/copy\(copy)"))), title: "copy",
        process: Self.program(41).process)
      let subject = Subject(.microphone, program.client)
      guard questions.canAsk(about: subject, at: .seconds(1)) else { continue }
      count += 1
      let question = questions.ask(Self.use(41), program, "Built-in", until: .seconds(61))
      questions.close(question, unansweredAt: .seconds(1))
    }
    #expect(count == GuardQuestions.most)
    let other = Subject(.microphone, Self.program(41).client)
    #expect(!questions.canAsk(about: other, at: .seconds(60)))
    #expect(questions.canAsk(about: other, at: .seconds(61)))
  }

  @Test("A question that is open at the end of the guard counts as a refusal")
  mutating func end() {
    _ = follow([41], linked: [41])
    let steps = rules.follow([:], nodes: [:], at: .seconds(1)) { _ in
      (Self.program(41), .notDetermined, true)
    }
    #expect(steps == [Self.refused(41), .withdraw(1)])
  }

  @Test("A decision ends the question, and a permission is no refusal")
  mutating func decision() {
    _ = follow([41], linked: [41])
    decided[41] = .authorized
    #expect(follow([41], at: 1) == [.restore(Self.link, of: Self.use(41)), .withdraw(1)])
  }

  @Test("If the connection that caused a question leaves, the question is about another one")
  mutating func handedOver() throws {
    _ = follow([41, 42], linked: [41, 42])
    #expect(asked == [41])
    #expect(follow([42], at: 1) == [Self.refused(41)])
    let question = try #require(rules.openQuestions.first)
    #expect(question.number == 1 && question.use == Self.use(42))
    #expect(question.query.session == Self.program(42).session && question.deadline == .seconds(60))
  }

  @Test("Permission for one connection leads to a question about the next one")
  mutating func once() throws {
    _ = follow([41, 42], linked: [41, 42])
    #expect(rules.take(1)?.use == Self.use(41))
    decided[41] = .authorized
    let steps = follow([41, 42], at: 1)
    #expect(steps.contains(.restore(Self.link, of: Self.use(41))) && asked == [42])
    let question = try #require(rules.openQuestions.first)
    #expect(question.deadline == .seconds(61))
    #expect(follow([41, 42], at: 61) == [.expire(question), Self.refused(42)])
  }

  @Test("If the answer cannot be stored, the program is asked about again")
  mutating func unstored() {
    _ = follow([41], linked: [41])
    #expect(rules.take(1) != nil)
    _ = follow([41], at: 1)
    #expect(asked == [41] && rules.openQuestions.first?.number == 2)
  }

  @Test("A refusal by the user needs no further line in the log")
  mutating func never() {
    _ = follow([41, 42], linked: [41, 42])
    #expect(rules.take(1, isRefused: true) != nil)
    decided = [41: .denied, 42: .denied]
    #expect(follow([41, 42], at: 1) == [] && follow([], at: 2) == [])
  }

  @Test("All links are cut before anything is logged")
  mutating func order() {
    decided = [41: .denied, 42: .denied]
    let steps = follow([41, 42], linked: [41, 42])
    #expect(steps == [.cut(81), .cut(82), Self.refused(41)])
  }
}
