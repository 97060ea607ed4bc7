import Linux
import Permission
import Testing

@testable import Guard
@testable import PipeWire

@Suite("The changes of the store by the guard")
struct GuardChangesTests {
  private static let locked = StoreFailure.locked("/permissions.lock")
  private static let full = StoreFailure.full("/programs.json", limit: 1)

  private var changes = GuardChanges()

  private static func session(_ number: Int) throws -> SessionID {
    try #require(SessionID("guard.7.\(number)"))
  }

  /// Makes the changes at a time. Returns the failures of the ones that are finished.
  private mutating func make(
    at time: Duration, _ failures: StoreFailure?...
  ) -> [StoreFailure?] {
    var left = failures[...]
    let made = changes.make(at: time) { _ in left.removeFirst() }
    #expect(left.isEmpty, "an attempt was not made")
    return made.map(\.failure)
  }

  @Test("A locked store delays the changes, which keep their order")
  mutating func locked() throws {
    for number in 1...2 { changes.add(.end(try Self.session(number)), at: .zero) }
    #expect(changes.retry == nil)
    #expect(make(at: .zero, Self.locked) == [])
    #expect(changes.retry == .milliseconds(20))
    #expect(make(at: .milliseconds(20), nil, Self.locked) == [nil])
    #expect(make(at: .milliseconds(40), nil) == [nil])
    #expect(changes.retry == nil && make(at: .seconds(1)) == [])
  }

  @Test("A change fails if the store stays locked, and immediately for another reason")
  mutating func failed() throws {
    for number in 1...2 { changes.add(.end(try Self.session(number)), at: .zero) }
    #expect(make(at: .seconds(4), Self.full, Self.locked) == [Self.full])
    #expect(make(at: .seconds(5), Self.locked) == [Self.locked])
    #expect(changes.retry == nil)
  }

  @Test("A question is answered once")
  mutating func answered() {
    let program = GuardedProgram(
      client: Client(.path(Path("/usr/bin/aplay"))), title: "arecord",
      process: ProcessFacts(of: 1, executable: "/usr/bin/aplay"))
    let question = GuardQuestion(
      number: 3, program: program,
      use: Graph.Use(client: 40, node: 50, source: 30, isPlayed: false), device: "Built-in",
      deadline: .seconds(60))
    changes.add(.answer(question, .once, nil), at: .zero)
    #expect(changes.hasAnswer(to: 3) && !changes.hasAnswer(to: 4))
    #expect(make(at: .zero, nil) == [nil])
    #expect(!changes.hasAnswer(to: 3))
  }
}
