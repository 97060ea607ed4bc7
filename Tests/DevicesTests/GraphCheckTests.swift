import Testing

@testable import Devices
@testable import PipeWire

@Suite("The check of a device of PipeWire")
struct GraphCheckTests {
  private static func graph() -> Graph {
    var graph = Graph()
    graph.nodes[1] = Graph.Node(
      name: "bare", serial: "31", title: "Bare", mediaClass: "Audio/Sink")
    graph.ports[10] = Graph.Port(
      node: 1, index: 0, channel: "FL", isOutput: false, isMonitor: false)
    return graph
  }

  private func failure(_ kind: Source.Kind, _ graph: Graph) -> DeviceError? {
    do {
      try GraphCapture.check(kind, named: "output:bare", in: graph)
      return nil
    } catch {
      return error
    }
  }

  @Test("refuses a speaker without a monitor, whose sound cannot be recorded")
  func noMonitor() {
    var graph = Self.graph()
    #expect(failure(.monitor("bare"), graph) == .noMonitor(device: "output:bare"))
    graph.defaultSink = "bare"
    #expect(failure(.defaultMonitor, graph) == .noMonitor(device: "output:bare"))
    graph.ports[11] = Graph.Port(node: 1, index: 1, channel: "FL", isOutput: true, isMonitor: true)
    #expect(failure(.monitor("bare"), graph) == nil)
  }

  @Test("refuses a speaker that does not exist, but not a program that may start later")
  func absent() {
    #expect(failure(.program("player"), Self.graph()) == nil)
    let refusal = failure(.monitor("bear"), Self.graph())
    #expect(refusal == .noOutput(device: "output:bare", near: ["bare"]))
  }
}
