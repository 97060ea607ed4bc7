import Linux
import Permission
import Testing

@testable import Guard
@testable import PipeWire

@Suite("The uses in the log")
struct GuardUseTests {
  private static let program = GuardedProgram(
    client: Client(.path(Path("/usr/bin/aplay"))), title: "arecord",
    process: ProcessFacts(of: 1, executable: "/usr/bin/aplay"), session: SessionID("guard.7.1"))
  private static let use = Graph.Use(client: 40, node: 50, source: 30, isPlayed: false)
  private static let linked = [
    use: UsedLinks([80: Graph.Link(output: 60, input: 70)], of: "Built-in")
  ]

  private var rules = GuardRules(.log)

  @Test("A connection with the numbers of a former one begins another use")
  mutating func reconnected() {
    let programs = ["guard.7.1", "guard.7.2"].map {
      GuardedProgram(
        client: Self.program.client, title: "arecord", process: Self.program.process,
        session: SessionID($0))
    }
    let steps = programs.enumerated().map { second, program in
      rules.follow(Self.linked, nodes: [50: "5"], at: .seconds(second)) { _ in
        (program, .authorized, false)
      }
    }
    #expect(steps[0] == [.began(Self.use, programs[0], device: "Built-in")])
    #expect(
      steps[1] == [
        .ended(Self.use, programs[0], device: "Built-in", .seconds(1)),
        .began(Self.use, programs[1], device: "Built-in"),
      ])
  }

  @Test("Another program on the same connection begins another use")
  mutating func replaced() {
    let other = GuardedProgram(
      client: Client(.path(Path("/usr/bin/pw-record"))), title: "pw-record",
      process: Self.program.process, session: Self.program.session)
    _ = follow(Self.linked, Self.program, at: 0)
    #expect(
      follow(Self.linked, other, at: 1) == [
        .ended(Self.use, Self.program, device: "Built-in", .seconds(1)),
        .began(Self.use, other, device: "Built-in"),
      ])
    #expect(follow(Self.linked, other, at: 2) == [])
  }

  @Test("A use is logged once the details of its client have come, or at its end")
  mutating func early() {
    let unknown = GuardedProgram(
      client: Client(.unknown(.noProcess)), title: "", process: ProcessFacts(of: 0))
    #expect(follow(Self.linked, unknown, at: 0) == [])
    #expect(
      follow(Self.linked, Self.program, at: 1) == [
        .began(Self.use, Self.program, device: "Built-in")
      ])
    #expect(
      follow([:], Self.program, at: 2)
        == [.ended(Self.use, Self.program, device: "Built-in", .seconds(2))])
    #expect(follow(Self.linked, unknown, at: 3) == [])
    #expect(
      follow([:], unknown, at: 4) == [
        .began(Self.use, unknown, device: "Built-in"),
        .ended(Self.use, unknown, device: "Built-in", .seconds(1)),
      ])
  }

  private mutating func follow(
    _ used: [Graph.Use: UsedLinks], _ program: GuardedProgram, at second: Int
  ) -> [GuardStep] {
    rules.follow(used, nodes: [50: "5"], at: .seconds(second)) { _ in (program, .denied, false) }
  }
}
