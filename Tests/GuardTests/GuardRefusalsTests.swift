import Linux
import Permission
import Testing

@testable import Guard
@testable import PipeWire

@Suite("The refusals of programs")
struct GuardRefusalsTests {
  private var refusals = GuardRefusals()

  /// Refuses a copy of a program. Returns the number of lines in the log.
  private mutating func refuse(_ copy: Int, at second: Int) -> Int {
    let program = GuardedProgram(
      client: Client(.path(Path("/tmp/copy\(copy)"))), title: "copy",
      process: ProcessFacts(of: 1, executable: "/tmp/copy"))
    let use = Graph.Use(client: 40, node: 50, source: 30, isPlayed: false)
    return refusals.add(use, program, "Built-in", at: .seconds(second)).count
  }

  @Test(
    "The pace of a program is forgotten as soon as it is over, if many programs were refused",
    arguments: [(10, 0), (GuardRefusals.most, 1)])
  mutating func copies(others: Int, lines: Int) {
    for copy in 0...others { #expect(refuse(copy, at: 0) == 1) }
    #expect(refusals.log(at: .seconds(2)) == [])
    #expect(refuse(0, at: 3) == 1)
    // The second line of a program comes two seconds before the third, the first one second.
    #expect(refuse(0, at: 4) == lines)
  }
}
