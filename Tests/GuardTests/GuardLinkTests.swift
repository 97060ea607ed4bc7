import Linux
import Permission
import Testing

@testable import Guard
@testable import PipeWire

/// A stream with the number 50 is refused, and allowed later.
@Suite("The links that the guard restores")
struct GuardLinkTests {
  private static let program = GuardedProgram(
    client: Client(.path(Path("/usr/bin/aplay"))), title: "arecord",
    process: ProcessFacts(of: 1, executable: "/usr/bin/aplay"), session: SessionID("guard.7.1"))

  private var rules = GuardRules(.ask)

  private static func use(_ source: UInt32, isPlayed: Bool = false) -> Graph.Use {
    Graph.Use(client: 40, node: 50, source: source, isPlayed: isPlayed)
  }

  /// Returns the link of the stream to a source.
  private static func link(_ source: UInt32) -> Graph.Link {
    Graph.Link(output: source + 100, input: 70)
  }

  /// Follows a graph in which the stream has links from these sources.
  private mutating func follow(
    _ linked: [Graph.Use], _ status: AuthorizationStatus = .denied,
    nodes: [UInt32: String] = [30: "3", 31: "4", 50: "5"]
  ) -> [GuardStep] {
    let used = linked.map {
      ($0, UsedLinks([$0.source + 200: Self.link($0.source)], of: "Built-in"))
    }
    return rules.follow(Dictionary(uniqueKeysWithValues: used), nodes: nodes, at: .zero) { _ in
      (Self.program, status, true)
    }
  }

  private static func restored(_ uses: Graph.Use...) -> [GuardStep] {
    uses.map { .restore(link($0.source), of: $0) }
  }

  @Test("Links of a device that has gone are not restored, even if its number has a node")
  mutating func otherSource() {
    _ = follow([Self.use(30)])
    #expect(follow([], nodes: [31: "4", 50: "5"]) == [])
    #expect(follow([], .authorized, nodes: [30: "6", 50: "5"]) == [])
  }

  @Test("Links of a stream that has ended are not restored, even if its number has a node")
  mutating func otherStream() {
    _ = follow([Self.use(30)])
    #expect(follow([], .authorized, nodes: [30: "3", 50: "6"]) == [])
  }

  @Test("A stream that got another device meanwhile gets only the newest one back")
  mutating func moved() {
    _ = follow([Self.use(30)])
    _ = follow([Self.use(31)])
    #expect(follow([], .authorized) == Self.restored(Self.use(31)))
  }

  @Test("A stream that has another device once it is allowed keeps only that one")
  mutating func movedMeanwhile() {
    _ = follow([Self.use(30)])
    let began = GuardStep.began(Self.use(31), Self.program, device: "Built-in")
    #expect(follow([Self.use(31)], .authorized) == [began])
  }

  @Test("A stream of several devices or services gets all of them back")
  mutating func several() {
    let uses = [Self.use(30), Self.use(31)]
    _ = follow(uses)
    let steps = follow([], .authorized)
    #expect(steps.count == 2 && Set(steps) == Set(uses.flatMap { Self.restored($0) }))
    rules = GuardRules(.ask)
    _ = follow([Self.use(30)])
    _ = follow([Self.use(31, isPlayed: true)])
    #expect(follow([], .authorized).count == 2)
  }
}
