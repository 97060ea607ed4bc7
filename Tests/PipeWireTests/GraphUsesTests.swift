import Support
import Testing

@testable import PipeWire

@Suite("The recordings in a graph")
struct GraphUsesTests {
  private static func node(_ mediaClass: String, client: UInt32? = nil) -> Graph.Node {
    Graph.Node(
      name: mediaClass, serial: "1", title: mediaClass, mediaClass: mediaClass, program: nil,
      client: client)
  }

  /// A graph of these nodes with a link from the first node to the second.
  private static func graph(
    _ source: Graph.Node, isMonitor: Bool, _ target: Graph.Node
  ) -> Graph {
    var graph = Graph()
    graph.nodes = [1: source, 2: target]
    for (id, node) in [10, 11, 20, 21].map({ (UInt32($0), UInt32($0) / 10) }) {
      graph.ports[id] = Graph.Port(
        node: node, index: id % 10, channel: "", isOutput: node == 1,
        isMonitor: node == 1 && isMonitor)
    }
    graph.links = [5: Graph.Link(output: 10, input: 20), 6: Graph.Link(output: 11, input: 21)]
    return graph
  }

  @Test(
    "are those of microphones, of monitors and of programs, each once",
    arguments: [
      ("Audio/Source", false, "Stream/Input/Audio", false),
      ("Audio/Source/Virtual", true, "Stream/Input/Audio", false),
      ("Audio/Sink", true, "Stream/Input/Audio", true),
      ("Audio/Duplex", true, "Stream/Input/Audio", true),
      ("Audio/Duplex", false, "Stream/Input/Audio", false),
      ("Stream/Output/Audio", false, "Stream/Input/Audio", true),
      // The monitor of a program that records, and a program without a class.
      ("Stream/Input/Audio", true, "Stream/Input/Audio", false),
      ("", false, "Stream/Input/Audio", true),
      // A client can give any class to its node.
      ("Audio/Source", false, "Audio/Sink", false), ("Audio/Source", false, "", false),
    ] as [(String, Bool, String, Bool)])
  func uses(source: String, isMonitor: Bool, target: String, isPlayed: Bool) {
    let graph = Self.graph(
      Self.node(source), isMonitor: isMonitor, Self.node(target, client: 40))
    #expect(graph.uses == [Graph.Use(client: 40, node: 2, source: 1, isPlayed: isPlayed)])
  }

  @Test("are neither sound that is played nor the work of the server's own nodes")
  func others() {
    let player = Self.node("Stream/Output/Audio", client: 40)
    #expect(Self.graph(player, isMonitor: false, Self.node("Audio/Sink", client: 41)).uses == [])
    let microphone = Self.node("Audio/Source")
    #expect(Self.graph(microphone, isMonitor: false, Self.node("Stream/Input/Audio")).uses == [])
    let own = Self.node("Audio/Source", client: 41)
    let reader = Self.node("Stream/Input/Audio", client: 41)
    #expect(Self.graph(own, isMonitor: false, reader).uses == [])
    #expect(Self.graph(player, isMonitor: false, reader).uses.count == 1)
    var camera = Self.graph(Self.node("Video/Source"), isMonitor: false, reader)
    for port in camera.ports.keys { camera.ports[port]?.isSound = false }
    #expect(camera.uses == [])
  }

  @Test(
    "are those of a microphone that nodes without a client pass on",
    arguments: [("", nil), ("Audio/Sink", true)] as [(String, Bool?)])
  func passedOn(mediaClass: String, otherwise: Bool?) {
    // The microphone is linked to the node 2, this to the node 4, and this to the node of a client.
    var graph = Self.graph(Self.node("Audio/Source"), isMonitor: false, Self.node(mediaClass))
    graph.nodes[3] = Self.node("Audio/Sink", client: 40)
    graph.nodes[4] = Self.node(mediaClass)
    for (id, node, isOutput) in [(22, 2, true), (30, 3, false), (40, 4, false), (41, 4, true)] {
      graph.ports[UInt32(id)] = Graph.Port(
        node: UInt32(node), index: 0, channel: "", isOutput: isOutput, isMonitor: isOutput)
    }
    graph.links[7] = Graph.Link(output: 41, input: 30)
    graph.links[8] = Graph.Link(output: 22, input: 40)
    #expect(graph.uses == [Graph.Use(client: 40, node: 3, source: 4, isPlayed: false)])
    graph.links[8] = nil
    #expect(graph.uses.map(\.isPlayed) == [otherwise].compactMap(\.self))
  }

  /// A graph with a microphone, a speaker and a node of a client, without links.
  private static func graph(waiting node: Graph.Node, isSound: Bool? = nil) -> Graph {
    var graph = Graph()
    graph.nodes = [1: Self.node("Audio/Source"), 2: Self.node("Audio/Sink"), 3: node]
    graph.defaultSource = "Audio/Source"
    graph.defaultSink = "Audio/Sink"
    graph.clients = [40: Graph.Client()]
    if let isSound {
      graph.ports[30] = Graph.Port(
        node: 3, index: 0, channel: "", isOutput: false, isMonitor: false, isSound: isSound)
    }
    return graph
  }

  @Test(
    "that are wanted are those of streams without a link",
    arguments: [
      (nil, false, 1, false), (nil, true, 2, true), ("Audio/Source", false, 1, false),
      ("Audio/Sink", false, 2, true), ("Audio/Sink", true, 2, true), ("missing", false, 1, false),
    ] as [(String?, Bool, UInt32, Bool)])
  func wishes(name: String?, asksForPlayed: Bool, source: UInt32, isPlayed: Bool) {
    var stream = Self.node("Stream/Input/Audio", client: 40)
    stream.target = Graph.Target(name: name, isPlayed: asksForPlayed)
    var graph = Self.graph(waiting: stream)
    let wish = Graph.Use(client: 40, node: 3, source: source, isPlayed: isPlayed)
    #expect(graph.wishes == [wish])
    // A mixer moves the stream.
    graph.metadata[5] = Graph.Metadata(
      name: "default", values: [.init(3, "target.object"): "Audio/Source"])
    #expect(graph.wishes.map(\.source) == [1] && graph.wishes.map(\.isPlayed) == [false])
    graph.ports[10] = Graph.Port(
      node: 1, index: 0, channel: "", isOutput: true, isMonitor: false)
    graph.ports[30] = Graph.Port(
      node: 3, index: 0, channel: "", isOutput: false, isMonitor: false)
    graph.links[50] = Graph.Link(output: 10, input: 30)
    #expect(graph.wishes == [] && graph.uses.count == 1)
  }

  @Test("are wanted by every node of a client that can receive sound, but not by other nodes")
  func wishesByPorts() {
    func wishes(_ node: Graph.Node, _ isSound: Bool?) -> Int {
      Self.graph(waiting: node, isSound: isSound).wishes.count
    }
    #expect(wishes(Self.node("", client: 40), true) == 1)
    #expect(wishes(Self.node("Stream/Output/Audio", client: 40), true) == 1)
    #expect(wishes(Self.node("Stream/Output/Audio", client: 40), nil) == 0)
    #expect(wishes(Self.node("Stream/Input/Video", client: 40), false) == 0)
    #expect(wishes(Self.node("Audio/Sink", client: 40), true) == 0)
    #expect(wishes(Self.node("", client: nil), true) == 0)
    // Until the details of a stream and of its client are known.
    #expect(wishes(Self.node("Stream/Input/Audio", client: 40), true) == 0)
    #expect(wishes(Self.node("", client: 41), true) == 0)
  }
}
