import Support
import Testing

@testable import PipeWire

@Suite("The links of a source")
struct GraphTests {
  private static func node(_ name: String, _ mediaClass: String, program: String? = nil)
    -> Graph.Node
  {
    Graph.Node(
      name: name, serial: "1\(name.utf8.count)", title: name, mediaClass: mediaClass,
      program: program,
      client: nil)
  }

  private static func graph() -> Graph {
    var graph = Graph()
    graph.nodes = [
      1: node("speaker", "Audio/Sink"), 2: node("mic", "Audio/Source"),
      3: node("player", "Stream/Output/Audio", program: "Music Player"),
      4: node("other", "Stream/Output/Audio", program: "Other"),
    ]
    for (offset, id) in graph.nodes.keys.sorted().enumerated() {
      for (index, channel) in ["FL", "FR"].enumerated() {
        graph.ports[UInt32(10 * (offset + 1) + index)] = Graph.Port(
          node: id, index: UInt32(index), channel: channel, isOutput: true, isMonitor: id == 1)
      }
    }
    graph.defaultSink = "speaker"
    graph.defaultSource = "mic"
    return graph
  }

  private static let inputs = ["FL", "FR"].enumerated().map { index, channel in
    (
      id: UInt32(100 + index),
      port: Graph.Port(
        node: 9, index: UInt32(index), channel: channel, isOutput: false, isMonitor: false)
    )
  }

  @Test(
    "Begin at the ports of its nodes",
    arguments: [
      (.defaultMonitor, 10), (.monitor("speaker"), 10), (.monitor("17"), 10),
      (.defaultSource, 20), (.node("mic"), 20), (.program("music player"), 30),
      (.program("OTHER"), 40),
    ] as [(Source.Kind, UInt32)])
  func kinds(kind: Source.Kind, first: UInt32) {
    let links = Self.graph().links(from: kind, to: Self.inputs)
    let wanted: Set = [
      Graph.Link(output: first, input: 100), Graph.Link(output: first + 1, input: 101),
    ]
    #expect(links == wanted)
  }

  @Test(
    "Do not exist for a source that is not there, or that is of another kind",
    arguments: [
      Source.Kind.monitor("mic"), .node("speaker"), .program("music"), .program("player"),
      .monitor("Speaker"),
    ])
  func absent(kind: Source.Kind) {
    #expect(Self.graph().links(from: kind, to: Self.inputs).isEmpty)
  }

  @Test("Have a delay: a microphone's sound is late, a speaker's monitor is early")
  func delays() {
    var graph = Self.graph()
    let second = PortLatency(cycles: 0, frames: 48_000, nanoseconds: 0)
    let cycle = PortLatency(cycles: 1, frames: 0, nanoseconds: 0)
    func delay(_ kind: Source.Kind) -> Duration? {
      graph.delay(of: kind, cycle: 480, rate: 48_000)
    }
    #expect(delay(.defaultSource) == nil && delay(.defaultMonitor) == nil)
    graph.ports[20]?.latency = second
    #expect(delay(.defaultSource) == .seconds(1) && delay(.node("mic")) == .seconds(1))
    // The ports of a monitor have no delay of their own.
    graph.ports[10]?.latency = second
    graph.ports[12] = Graph.Port(
      node: 1, index: 0, channel: "FL", isOutput: false, isMonitor: false, latency: cycle)
    #expect(delay(.defaultMonitor) == .milliseconds(-10))
    graph.ports[30]?.latency = second
    #expect(delay(.program("music player")) == nil && delay(.monitor("gone")) == nil)
  }

  @Test("Are compared by bytes, except for programs")
  func bytes() {
    var graph = Self.graph()
    graph.nodes[1]?.name = "cafe\u{301}"
    #expect(graph.nodes(of: .monitor("caf\u{e9}")).isEmpty)
    #expect(graph.nodes(of: .monitor("cafe\u{301}")) == [1])
  }

  @Test(
    "Connect channels of the same name, and lose none",
    arguments: [
      (["FL", "FR"], ["FL", "FR"], ["00", "11"]), (["FR", "FL"], ["FL", "FR"], ["01", "10"]),
      (["MONO"], ["FL", "FR"], ["00", "01"]), (["FL", "FR"], ["MONO"], ["00", "10"]),
      (["AUX0", "AUX1", "AUX2"], ["FL", "FR"], ["00", "11"]),
      (
        ["FL", "FR", "FC", "LFE", "RL", "RR"], ["FL", "FR"],
        ["00", "11", "20", "21", "30", "31", "40", "51"]
      ),
      (["FL", "FR"], ["FL", "FR", "FC"], ["00", "11"]),
    ] as [([String], [String], [String])])
  func channels(outputs: [String], inputs: [String], wanted: [String]) {
    #expect(Graph.pairs(outputs, inputs).map { "\($0)\($1)" } == wanted)
  }

  @Test("Names and channels of a capture follow the source")
  func names() {
    let graph = Self.graph()
    let own = graph.channels(of: .defaultMonitor)
    #expect(Source(.defaultMonitor, channels: 2, named: own).channels == ["FL", "FR"])
    #expect(Source(.defaultMonitor, channels: 1, named: own).channels == ["MONO"])
    #expect(Source(.defaultMonitor, channels: 3, named: own).channels == ["FL", "FR", "AUX2"])
    #expect(graph.sinks.map(\.name) == ["speaker"])
  }
}
