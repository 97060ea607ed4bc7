internal import Audio
internal import CPipeWire
internal import Linux
internal import Synchronization

/// Creates the links from the sources to the ports of a capture, and keeps them.
///
/// Links end with the connection. SAFETY: the state is used only by the connection's thread, or
/// while the loop is locked.
@safe final class Linker: @unchecked Sendable {
  private let core: UnsafeMutableRawPointer
  private let sources: [Source]
  /// The filter of the capture, or nil before it is connected.
  var filter: UnsafeMutableRawPointer?
  private var links: [Graph.Link: Created] = [:]
  /// The sources with at least one link, as bits.
  let linked = Atomic<UInt64>(0)
  /// Whether every link exists, or was refused.
  private(set) var isComplete = false

  @safe private struct Created {
    let proxy: UnsafeMutableRawPointer
    let instant = KernelClock.monotonic.now
    /// Whether the server has reported the link.
    var isReported = false
    /// Whether the link has existed for more than a second. The server removes a link earlier if it
    /// cannot be negotiated.
    var isEstablished: Bool {
      isReported && KernelClock.monotonic.now - instant > .seconds(1)
    }
  }

  init(_ connection: Connection, _ sources: [Source]) {
    precondition(sources.count <= 64, "each source has a bit")
    unsafe core = connection.core
    self.sources = sources
  }

  /// The number of the capture's node, or nil before the server has created it.
  private var node: UInt32? {
    guard let filter = unsafe filter else { return nil }
    let number = unsafe pipeWire.filter_get_node_id(filter)
    return number == .max ? nil : number
  }

  /// Creates the missing links and removes the others.
  func follow(_ graph: Graph) {
    guard let node else { return }
    let inputs = graph.ports.filter { $0.value.node == node }
      .map { (id: $0.key, port: $0.value) }.sorted { $0.port.index < $1.port.index }
    guard inputs.count == sources.map(\.channels.count).reduce(0, +) else { return }
    let groups = zip(sources, sources.map(\.channels.count).consecutiveRanges).map {
      graph.links(from: $0.kind, to: Array(inputs[$1]))
    }
    let existing = Set(graph.links.values)
    update(groups.reduce(into: []) { $0.formUnion($1) }, existing)
    let bits = groups.enumerated().map { index, group in
      group.isDisjoint(with: existing) ? 0 : UInt64(1) << index
    }
    // Relaxed: the bits only decide which count grows.
    linked.store(bits.reduce(0, |), ordering: .relaxed)
    // A link that the server has reported and removed is refused.
    isComplete = groups.joined().allSatisfy {
      existing.contains($0) || links[$0]?.isReported == true
    }
  }

  private func update(_ wanted: Set<Graph.Link>, _ existing: Set<Graph.Link>) {
    for link in wanted {
      if existing.contains(link) {
        links[link]?.isReported = true
      } else if links[link]?.isEstablished ?? true {
        // A link that another program removed is created again. One that the server refused is not.
        remove(link)
        create(link)
      }
    }
    // At the end, so that the capture has a source all the time if the default changes.
    for link in links.keys where !wanted.contains(link) { remove(link) }
  }

  private func create(_ link: Graph.Link) {
    let proxy = unsafe withDictionary([
      ("link.output.port", "\(link.output)"), ("link.input.port", "\(link.input)"),
    ]) { unsafe pipewire_create_link(core, $0) }
    if let proxy = unsafe proxy { links[link] = unsafe Created(proxy: proxy) }
  }

  private func remove(_ link: Graph.Link) {
    if let created = links.removeValue(forKey: link) {
      unsafe pipeWire.proxy_destroy(created.proxy)
    }
  }

  /// Removes all links.
  func removeAll() {
    for link in links.keys { remove(link) }
  }
}
