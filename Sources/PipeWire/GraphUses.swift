extension Graph {
  /// Sound of a device, or of a program that plays, which a client gets through links.
  package struct Use: Hashable, Sendable {
    /// The number of the client.
    package let client: UInt32
    /// The number of the client's node.
    package let node: UInt32
    /// The number of the node that delivers the sound.
    package let source: UInt32
    /// Whether the sound is what this machine plays, and not that of a microphone.
    package let isPlayed: Bool
  }

  /// The recordings of all clients, in the order of the numbers of the clients. Nodes without a
  /// client belong to the server: they process sound for others, and their own sources count as
  /// microphones.
  package var uses: [Use] {
    Set(links.values.compactMap(use))
      .sorted { ($0.client, $0.source, $0.node) < ($1.client, $1.source, $1.node) }
  }

  /// Returns the recording that a link is part of, or nil if it is part of none.
  package func use(of link: Link) -> Use? {
    guard let output = ports[link.output], let input = ports[link.input],
      let source = nodes[output.node], let node = nodes[input.node], let client = node.client,
      client != source.client, let isPlayed = source.isPlayed(output, to: node)
    else { return nil }
    return Use(client: client, node: input.node, source: output.node, isPlayed: isPlayed)
  }
}

extension Graph.Node {
  /// Returns whether a port of this node delivers sound that this machine plays to another node, or
  /// nil if the link records nothing: a program plays on a speaker.
  fileprivate func isPlayed(_ port: Graph.Port, to node: Graph.Node) -> Bool? {
    // Only a monitor of a speaker: a node of both directions has a microphone, too.
    if isSink, port.isMonitor { return true }
    if isSource { return false }
    return isPlayback && !node.isSink ? true : nil
  }
}
