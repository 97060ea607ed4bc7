import Permission
import Testing

@testable import Guard
@testable import PipeWire

@Suite("The decisions for WirePlumber's script")
struct GuardScriptTests {
  private typealias Entry = Graph.Metadata.Entry

  private static let manager: UInt32 = 32
  private static let both = Set(Service.allCases)

  /// A graph with the metadata object of a script, and the programs 40 and 41.
  private static func graph(
    _ name: String = "recorder-guard", _ version: String = "1", client: UInt32 = manager
  ) -> Graph {
    var graph = Graph()
    let isOwn = name.isSameName(as: "recorder-guard")
    let key = isOwn ? "version" : "recorder-guard.version"
    graph.metadata = [
      34: Graph.Metadata(name: name, client: client, values: [Entry(0, key): version])
    ]
    for id in [UInt32(32), 40, 41] { graph.clients[id] = Graph.Client(serial: "\(id + 100)") }
    return graph
  }

  private static func script(_ graph: Graph) throws -> GuardScript {
    try #require(GuardScript.find(in: graph) { $0 == manager })
  }

  /// The changes as texts, sorted, such as `40 microphone allow 140`.
  private static func changes(
    _ permitted: [UInt32: Set<Service>], _ graph: Graph
  ) throws -> [String] {
    try script(graph).changes(for: permitted, in: graph)
      .map { "\($0.entry.subject) \($0.entry.key.text) \($0.text ?? "removed")" }.sorted()
  }

  @Test("The script is found by its metadata object, and used if it has the same version")
  func found() throws {
    let script = try Self.script(Self.graph())
    #expect(script.kind == .closing && script.metadata == 34 && script.isUsable)
    let older = try Self.script(Self.graph("default"))
    #expect(older.kind == .holding && older.isUsable)
    for version in ["0", "2", "1.0", ""] {
      #expect(try !Self.script(Self.graph("recorder-guard", version)).isUsable, "\(version)")
    }
  }

  @Test("A metadata object of another program is no script")
  func forged() {
    let forged = Self.graph(client: 40)
    #expect(GuardScript.find(in: forged) { $0 == Self.manager } == nil)
    var plain = Self.graph("default")
    plain.metadata[34]?.values = [Entry(0, "default.audio.source"): "{}"]
    #expect(GuardScript.find(in: plain) { $0 == Self.manager } == nil)
  }

  @Test("Only the objects of the session manager are read")
  func objects() {
    var graph = Graph()
    for (number, name) in [(UInt32(50), "default"), (51, "recorder-guard"), (52, "settings")] {
      graph.metadata[number] = Graph.Metadata(name: name, client: Self.manager)
      graph.metadata[number + 10] = Graph.Metadata(name: name, client: 40)
      graph.metadata[number + 20] = Graph.Metadata(name: name, client: nil)
    }
    #expect(GuardScript.objects(in: graph) { $0 == Self.manager } == [50, 51])
  }

  @Test("Each decision has the serial number of its client")
  func decisions() throws {
    let permitted: [UInt32: Set<Service>] = [40: [.microphone], 41: Self.both]
    #expect(
      try Self.changes(permitted, Self.graph()) == [
        "40 links refuse 140", "40 microphone allow 140", "40 system refuse 140",
        "41 links allow 141", "41 microphone allow 141", "41 system allow 141",
      ])
    #expect(
      try Self.changes([40: [.systemAudio], 41: []], Self.graph("default")) == [
        "40 recorder-guard.microphone allow 140", "41 recorder-guard.microphone refuse 141",
      ])
  }

  @Test("Only what differs is written")
  func differences() throws {
    var graph = Self.graph()
    graph.metadata[34]?.values[Entry(40, "microphone")] = "allow 140"
    graph.metadata[34]?.values[Entry(40, "system")] = "allow 140"
    #expect(
      try Self.changes([40: [.microphone]], graph)
        == ["40 links refuse 140", "40 system refuse 140"])
  }

  @Test("Decisions of an earlier guard and of an earlier client do not remain")
  func outdated() throws {
    var graph = Self.graph()
    // 41 has the number of an earlier client, 99 has left, and the other key is not the guard's.
    graph.metadata[34]?.values = [
      Entry(0, "version"): "1", Entry(40, "microphone"): "allow 140", Entry(40, "other"): "text",
      Entry(41, "system"): "allow 7", Entry(99, "microphone"): "allow 199",
    ]
    #expect(
      try Self.changes([41: [.systemAudio]], graph) == [
        "40 microphone removed", "41 links refuse 141", "41 microphone refuse 141",
        "41 system allow 141",
      ])
  }

  @Test("A client that has left gets no decision")
  func left() throws {
    #expect(try Self.changes([50: Self.both], Self.graph()) == [])
  }
}
