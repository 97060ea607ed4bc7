package import Linux

/// The nodes, ports and links of a PipeWire server at one moment, by their numbers.
package struct Graph: Hashable, Sendable {
  /// A microphone, a speaker, a stream of a program, or another node.
  package struct Node: Hashable, Sendable {
    /// PipeWire's own name for the node, which does not change at a reboot. It is empty if the
    /// program gave its node no name.
    package var name: String
    /// The number of the node, which is never used again in the running server.
    package var serial: String
    /// PipeWire's description for users. A long description is cut.
    package var title: String
    /// The kind of the node, such as `Audio/Sink`.
    package var mediaClass: String
    /// The name of the program, if the node is one of its streams.
    package var program: String?
    /// The number of the program's connection.
    package var client: UInt32?
    /// The device that a stream of a program asks for, or nil before the details of the stream are
    /// known.
    package var target: Target?
    /// The device of a sound card behind the node, or nil if none is known.
    package var card: Card?
    /// Whether the server has not sent the details of the node yet. Until then, the node is not
    /// recorded.
    var awaitsDetails = false
  }

  /// A device of a sound card, by the kernel's numbers.
  package struct Card: Hashable, Sendable {
    /// The card's number.
    package var number: Int
    /// The device's number on the card.
    package var device: Int
  }

  /// A port, which carries one channel.
  package struct Port: Hashable, Sendable {
    /// The number of the node.
    package var node: UInt32
    /// The position among the ports of the node.
    package var index: UInt32
    /// The channel, such as `FL`, or an empty text.
    package var channel: String
    /// Whether the port delivers sound.
    package var isOutput: Bool
    /// Whether the port delivers the sound that the node plays.
    package var isMonitor: Bool
    /// The delay to the device of the node, or nil if it is unknown.
    package var latency: PortLatency?
    /// Whether the port carries sound, and not video or notes.
    package var isSound = true
  }

  /// The two ports of a link.
  package struct Link: Hashable, Sendable {
    /// The number of the port that delivers sound.
    package var output: UInt32
    /// The number of the port that receives the sound.
    package var input: UInt32
  }

  /// The connection of a program to the server.
  package struct Client: Hashable, Sendable {
    /// The names that the program gives itself: its own name and that of its executable.
    package var names: [String] = []
    /// The process that connected, as the kernel reported it to the server. No client can forge it.
    package var process: Int32?
    /// The process number that the program claims. If the program connects through pipewire-pulse,
    /// only this number can identify it, because `process` is the process of pipewire-pulse.
    package var claimedProcess: Int32?
    /// The number of the connection, which is never used again in the running server.
    package var serial = ""
    /// Whether the server gave the program all rights, although the program did not connect to the
    /// socket for managers. False if the server does not name the socket.
    package var isUnrestricted = false
  }

  /// A metadata object: texts about objects of the server. Programs share these texts.
  package struct Metadata: Hashable, Sendable {
    /// The identification of a text: an object and a name.
    package struct Entry: Hashable, Sendable {
      /// The number of the object, or 0 for the whole server.
      package var subject: UInt32
      /// The name of the text.
      package var key: Path

      /// Creates the identification of a text.
      package init(_ subject: UInt32, _ key: String) {
        (self.subject, self.key) = (subject, Path(key))
      }
    }

    /// The name of the metadata object.
    package var name: String
    /// The number of the client that owns the object, or nil if the server owns it.
    package var client: UInt32?
    /// The texts.
    package var values: [Entry: String] = [:]

    var isDefault: Bool { name.isSameName(as: "default") }

    /// Changes a text; nil removes it. Without a key, all texts of the object are removed.
    mutating func set(_ value: String?, of subject: UInt32, _ key: String?) {
      if let key {
        values[Entry(subject, key)] = value
      } else {
        values = values.filter { $0.key.subject != subject }
      }
    }
  }

  /// The device that a stream asks the session manager for.
  package struct Target: Hashable, Sendable {
    /// The name or the serial number of the device, or nil for the default device.
    package var name: String?
    /// Whether the stream records the sound of a speaker.
    package var isPlayed: Bool
  }

  /// The random number that identifies the running server, or nil for an empty graph.
  package var server: UInt32?
  /// The nodes.
  package var nodes: [UInt32: Node] = [:]
  /// The ports of all nodes.
  package var ports: [UInt32: Port] = [:]
  /// The links of all programs.
  package var links: [UInt32: Link] = [:]
  /// The connections of the programs that play sound, or of all programs if all clients are
  /// followed.
  package var clients: [UInt32: Client] = [:]
  /// The metadata objects. Their values are known only if all clients are followed.
  package var metadata: [UInt32: Metadata] = [:]
  /// The name of the node that programs record from by default, or nil if there is none.
  package var defaultSource: String?
  /// The name of the node that programs play on by default, or nil if there is none.
  package var defaultSink: String?

  /// An empty graph.
  package init() {}
}

extension Graph.Node {
  /// Whether the node plays sound on a device.
  package var isSink: Bool {
    ["Audio/Sink", "Audio/Duplex"].contains { mediaClass.isSameName(as: $0) }
  }
  /// Whether the node records sound from a device.
  package var isSource: Bool {
    mediaClass.begins(with: "Audio/Source") || mediaClass.isSameName(as: "Audio/Duplex")
  }
  /// Whether the node is a stream that a program plays.
  package var isPlayback: Bool { mediaClass.isSameName(as: "Stream/Output/Audio") }
  /// Whether the node is a stream that records, which the session manager links to a device.
  package var isCapture: Bool { mediaClass.isSameName(as: "Stream/Input/Audio") }
}

extension Graph {
  /// The nodes with a name that play sound on a device, sorted by their names.
  package var sinks: [Node] { named(\.isSink) }

  /// The microphones with a name, sorted by their names.
  package var microphones: [Node] { named(\.isSource) }

  private func named(_ isWanted: (Node) -> Bool) -> [Node] {
    nodes.values.filter { isWanted($0) && !$0.name.isEmpty }.sorted { $0.name < $1.name }
  }

  /// Returns the numbers of the nodes that deliver the sound of a source now, the lowest first.
  package func nodes(of kind: Source.Kind) -> [UInt32] {
    nodes.filter { !$0.value.awaitsDetails && includes($0.value, kind) }.keys.sorted()
  }

  /// Returns the card of each node that delivers the sound of a microphone now. An element is nil
  /// if the card of a node is unknown. The list is empty if the microphone is missing, or if the
  /// source is not a microphone.
  package func cards(of kind: Source.Kind) -> [Card?] {
    kind.isMicrophone ? nodes(of: kind).map { nodes[$0]?.card } : []
  }

  /// Returns the delay from the device to the sound of a source. It is negative for the monitor of
  /// a speaker, which delivers the sound before the device plays it. Returns nil for a program, and
  /// if the delay is unknown.
  ///
  /// - Parameters:
  ///   - length: the number of frames in a cycle.
  ///   - rate: the frames per second.
  func delay(of kind: Source.Kind, cycle length: Int, rate: Double) -> Duration? {
    guard let node = nodes(of: kind).first else { return nil }
    switch kind {
    case .program: return nil
    case .node, .defaultSource:
      let latency = outputs(of: node, kind).first?.port.latency
      return latency?.duration(cycle: length, rate: rate)
    case .monitor, .defaultMonitor:
      let inputs = ports.values.filter { $0.node == node && !$0.isOutput }
      let latency = inputs.min { $0.index < $1.index }?.latency
      return latency.map { .zero - $0.duration(cycle: length, rate: rate) }
    }
  }

  private func includes(_ node: Node, _ kind: Source.Kind) -> Bool {
    switch kind {
    case .node(let name): node.isSource && node.isCalled(name)
    case .defaultSource: node.isSource && node.isCalled(defaultSource)
    case .monitor(let name): node.isSink && node.isCalled(name)
    case .defaultMonitor: node.isSink && node.isCalled(defaultSink)
    case .program(let name): node.isPlayback && programs(of: node).contains { $0.matches(name) }
    }
  }

  private func programs(of node: Node) -> [String] {
    [node.program].compactMap(\.self) + (node.client.flatMap { clients[$0]?.names } ?? [])
  }

  /// Returns the ports of a node that deliver the sound of a source, in the order of their indices.
  func outputs(of node: UInt32, _ kind: Source.Kind) -> [(id: UInt32, port: Port)] {
    let outputs = ports.filter { $0.value.node == node && $0.value.isOutput }
      .map { (id: $0.key, port: $0.value) }.sorted { $0.port.index < $1.port.index }
    let monitors = outputs.filter(\.port.isMonitor)
    if kind.isMonitor { return monitors }
    // A virtual microphone has only monitors.
    let direct = outputs.filter { !$0.port.isMonitor }
    return direct.isEmpty ? monitors : direct
  }

  /// The names of the channels that a source has now, or none if it has no ports.
  package func channels(of kind: Source.Kind) -> [String] {
    nodes(of: kind).first.map { outputs(of: $0, kind).map(\.port.channel) } ?? []
  }

  /// Returns the links that connect a source to these ports.
  func links(from kind: Source.Kind, to inputs: [(id: UInt32, port: Port)]) -> Set<Link> {
    Set(
      nodes(of: kind).flatMap { node in
        let outputs = outputs(of: node, kind)
        return Self.pairs(outputs.map(\.port.channel), inputs.map(\.port.channel))
          .map { Link(output: outputs[$0].id, input: inputs[$1].id) }
      })
  }

  /// Returns the pairs of channels to link, by their indices.
  ///
  /// If there is only one output or only one input, every output is linked to every input.
  /// Otherwise, channels with the same name are linked. But if no name is the same, or if two
  /// outputs have the same name, channels at the same index are linked.
  ///
  /// If no input has the name of an output, this output is linked only if there are two inputs: to
  /// the first input if the name ends with L, to the second if it ends with R, and otherwise to
  /// both. So the voices of a film, which are in the center channel, are not lost.
  static func pairs(_ outputs: [String], _ inputs: [String]) -> [(Int, Int)] {
    if outputs.count == 1 || inputs.count == 1 {
      return outputs.indices.flatMap { output in inputs.indices.map { (output, $0) } }
    }
    let isNamed = Set(outputs.map { Path($0) }).count == outputs.count
    guard isNamed, outputs.contains(where: { name in inputs.contains { $0.isSameName(as: name) } })
    else {
      return (0..<min(outputs.count, inputs.count)).map { ($0, $0) }
    }
    return outputs.indices.flatMap { output in
      let name = outputs[output]
      if let same = inputs.firstIndex(where: { $0.isSameName(as: name) }) {
        return [(output, same)]
      }
      guard inputs.count == 2 else { return [] }
      return (name.ends(with: "L") ? [0] : name.ends(with: "R") ? [1] : [0, 1]).map { (output, $0) }
    }
  }
}

extension Graph.Node {
  func isCalled(_ name: String?) -> Bool {
    guard let name, !name.isEmpty else { return false }
    return self.name.isSameName(as: name) || serial.isSameName(as: name)
  }
}

extension String {
  /// Whether two names of programs are the same, regardless of case.
  fileprivate func matches(_ name: String) -> Bool {
    lowercased().isSameName(as: name.lowercased())
  }
}
