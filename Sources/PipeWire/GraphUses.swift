internal import Linux

extension Graph {
  /// A recording: links carry the sound of a device, or of a program that plays, to a node of a
  /// client.
  package struct Use: Hashable, Sendable {
    /// The number of the client.
    package let client: UInt32
    /// The number of the client's node.
    package let node: UInt32
    /// The number of the node that delivers the sound.
    package let source: UInt32
    /// Whether the sound is the output of this machine, and not the input of a microphone.
    package var isPlayed: Bool
  }

  /// The recordings of all clients, in the order of the numbers of the clients. Nodes without a
  /// client belong to the server, and process sound for clients. Such a node counts as a microphone
  /// if it is a source (`isSource`).
  package var uses: [Use] {
    let fed = fedByMicrophone
    return Set(links.values.compactMap { use(of: $0, fed: fed) })
      .sorted { ($0.client, $0.source, $0.node) < ($1.client, $1.source, $1.node) }
  }

  /// Returns the recording that a link is part of, or nil if the link records nothing.
  ///
  /// - Parameter fed: the value of `fedByMicrophone`.
  package func use(of link: Link, fed: Set<UInt32>) -> Use? {
    guard let output = ports[link.output], let input = ports[link.input],
      let source = nodes[output.node], let node = nodes[input.node], let client = node.client,
      client != source.client,
      let isPlayed = fed.contains(output.node) ? false : source.isPlayed(output, to: node)
    else { return nil }
    return Use(client: client, node: input.node, source: output.node, isPlayed: isPlayed)
  }

  /// The nodes without a client that receive the sound of a microphone, directly or through other
  /// nodes without a client. A program can leave such a node in the server, where the node passes
  /// the sound on.
  package var fedByMicrophone: Set<UInt32> {
    let pairs = links.values.compactMap { link -> (source: UInt32, target: UInt32)? in
      guard let source = ports[link.output]?.node, let target = ports[link.input]?.node,
        let node = nodes[target], node.client == nil
      else { return nil }
      return (source, target)
    }
    var fed: Set<UInt32> = []
    var count = -1
    while count < fed.count {
      count = fed.count
      for pair in pairs where nodes[pair.source]?.hasMicrophone == true || fed.contains(pair.source)
      {
        fed.insert(pair.target)
      }
    }
    return fed
  }
}

extension Graph {
  /// Returns the number of connections that claim the same process behind the same relay as this
  /// client. For a program that connects directly, without a relay, this is the number of its own
  /// connections.
  package func claims(like client: Client) -> Int {
    clients.values.count {
      $0.process == client.process && $0.claimedProcess == client.claimedProcess
    }
  }
}

extension Graph.Node {
  /// Whether the node delivers the sound of a microphone. The monitor of a capture stream also
  /// delivers this sound.
  fileprivate var hasMicrophone: Bool { isSource || isCapture }

  /// Returns whether the sound that a port of this node delivers to another node is sound that this
  /// machine plays. Returns nil if the link records nothing, because it plays the sound of a
  /// program on a speaker.
  fileprivate func isPlayed(_ port: Graph.Port, to node: Graph.Node) -> Bool? {
    // A node can be a speaker and a microphone at the same time. Only its monitor ports deliver
    // sound that is played.
    if isSink, port.isMonitor { return true }
    if hasMicrophone { return false }
    // Nodes of other classes pass on sound as well, such as those of JACK programs.
    return (isPlayback || port.isSound) && !node.isSink ? true : nil
  }
}

extension Graph {
  /// The nodes of programs that request sound but have no link yet. Each of them is a use of the
  /// device that it requests.
  ///
  /// These are streams, and other nodes with an input for sound. Virtual speakers of programs do
  /// not count: other programs play on them.
  package var wishes: [Use] {
    let served = Set(links.values.compactMap { ports[$0.input]?.node })
    let inputs = Set(ports.values.filter { $0.isSound && !$0.isOutput }.map(\.node))
    let devices = nodes.filter { $0.value.isSource || $0.value.isSink || $0.value.isPlayback }
      .sorted { $0.key < $1.key }
    return nodes.sorted { $0.key < $1.key }.compactMap { number, node in
      guard let client = node.client, clients[client] != nil, !node.isSink, !node.isSource,
        !served.contains(number)
      else { return nil }
      // A stream is left out until its details are known, because they name the device that it
      // requests.
      if node.isCapture ? node.target == nil : !inputs.contains(number) { return nil }
      let name = moved(number) ?? node.target?.name
      let wantsPlayed = node.target?.isPlayed == true
      let named = devices.first { $0.value.isCalled(name) }?.key
      let ordinary = nodes(of: wantsPlayed ? .defaultMonitor : .defaultSource).first
      // A program that creates its own links can record any device, so the first device is assumed.
      let other = node.isCapture ? nil : devices.first?.key
      guard let source = named ?? ordinary ?? other, let device = nodes[source] else { return nil }
      let isPlayed = !device.isSource || (device.isSink && wantsPlayed)
      return Use(client: client, node: number, source: source, isPlayed: isPlayed)
    }
  }

  /// The device that a mixer program has chosen for a stream, or nil if none was chosen.
  private func moved(_ node: UInt32) -> String? {
    let objects = metadata.values.filter(\.isDefault)
    return objects.compactMap { $0.values[.init(node, "target.object")] }.first
  }
}
