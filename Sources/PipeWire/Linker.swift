internal import Audio
internal import CPipeWire
internal import Linux
internal import Synchronization

/// Creates the links from the sources to the ports of a capture, and updates them when the graph
/// changes.
///
/// The server removes the links when the connection ends. SAFETY: the state is used only by the
/// connection's thread, or while the loop is locked.
@safe final class Linker: @unchecked Sendable {
  let core: UnsafeMutableRawPointer
  private let news: Connection.News
  private let alarm: Alarm
  private let sources: [Source]
  /// The last graph.
  private var graph: Graph?
  /// Whether the capture has started. From then on, a link that the server refuses is requested
  /// again.
  var hasStarted = false { didSet { update() } }
  /// The filter of the capture, or nil before it was created.
  var filter: UnsafeMutableRawPointer?
  private var links: [Graph.Link: CreatedLink] = [:]
  /// Removed links. They are not freed immediately, because the library may be handling an event of
  /// one of them.
  private var former: [CreatedLink] = []
  /// The links that each source needs, or nil before the capture has its ports.
  private var wanted: [Set<Graph.Link>]?
  /// The sources that must not be linked.
  var silenced = TrackSet()
  /// Decides whether microphones of these cards may be recorded. Nil if all microphones may be
  /// recorded.
  var mayRecord: (([Graph.Card?]) -> Bool)?
  /// The cards that `mayRecord` allowed in its last call, or none after a refusal.
  private var allowed: [Graph.Card?] = []
  /// The sources whose device has no active link, as the bits of a `TrackSet`. Silenced sources are
  /// not included. Programs are not included either, because they have no link while they play
  /// nothing.
  let missing = Atomic<UInt64>(0)
  /// The origin of the sound of each source.
  private let origins: UnsafeMutablePointer<Atomic<UInt64>>
  /// The gain of each source, as the bits of a float.
  private let gains: UnsafeMutablePointer<Atomic<UInt32>>

  init(_ connection: Connection, _ sources: [Source]) {
    precondition(sources.count <= Track.mostTracks, "each source has a bit")
    unsafe core = connection.core
    (news, alarm) = (connection.news, connection.alarm)
    self.sources = sources
    unsafe origins = .allocate(capacity: sources.count)
    unsafe gains = .allocate(capacity: sources.count)
    for index in sources.indices {
      unsafe (origins + index).initialize(to: Atomic(.max))
      unsafe (gains + index).initialize(to: Atomic(Float(1).bitPattern))
    }
    connection.locked {
      alarm.action = { [unowned self] in
        if let graph = self.graph { self.follow(graph) }
      }
    }
  }

  deinit {
    unsafe origins.deinitialize(count: sources.count)
    unsafe origins.deallocate()
    unsafe gains.deinitialize(count: sources.count)
    unsafe gains.deallocate()
  }

  /// Returns the sources that record the sound that this node plays. Any thread may call it.
  func sources(playedBy node: UInt32) -> TrackSet {
    sources(from: Origin(node: node, isMonitor: true))
  }

  /// Returns whether this node is a recorded microphone. Any thread may call it.
  func isRecorder(_ node: UInt32) -> Bool {
    !sources(from: Origin(node: node, isMonitor: false)).isEmpty
  }

  /// Returns the factor for the samples of a source. Any thread may call it.
  func gain(of source: Int) -> Float {
    Float(bitPattern: unsafe gains[source].load(ordering: .relaxed))
  }

  private func sources(from origin: Origin) -> TrackSet {
    var found = TrackSet()
    for index in sources.indices
    where unsafe origins[index].load(ordering: .relaxed) == origin.number {
      found.insert(index)
    }
    return found
  }

  /// A node that sound comes from.
  struct Origin {
    var node: UInt32
    /// Whether the node plays the sound.
    var isMonitor: Bool

    /// The value as a number, which is never `UInt64.max`.
    var number: UInt64 { UInt64(node) | (isMonitor ? 0 : 1 << 32) }
  }

  /// The number of the capture's node, or nil before the server has created it.
  private var node: UInt32? {
    guard let filter = unsafe filter else { return nil }
    let number = unsafe pipeWire.filter_get_node_id(filter)
    return number == .max ? nil : number
  }

  /// Creates the links that are missing, and removes those that are not needed.
  func follow(_ graph: Graph) {
    self.graph = graph
    guard let node else { return }
    let inputs = graph.ports.filter { $0.value.node == node }
      .map { (id: $0.key, port: $0.value) }.sorted { $0.port.index < $1.port.index }
    let groups = sources.map(\.channels.count).consecutiveRanges
    guard inputs.count == groups.last?.upperBound else { return }
    let excluded = mayRecordMicrophones(in: graph) ? silenced : silenced.union(microphones)
    let wanted = sources.indices.map { index in
      excluded.contains(index)
        ? [] : graph.links(from: sources[index].kind, to: Array(inputs[groups[index]]))
    }
    self.wanted = wanted
    former = []
    let now = KernelClock.monotonic.now
    for link in wanted.joined() where links[link]?.isEnded(hasStarted, now) ?? true {
      // The object of a refused link is freed first. Until then, the server keeps the link, and
      // would refuse a second link.
      let pause = links.removeValue(forKey: link)?.pause
      let origin = graph.ports[link.output].map { Origin(node: $0.node, isMonitor: $0.isMonitor) }
      links[link] = CreatedLink(link, from: origin, after: pause ?? LinkPause(), for: self)
    }
    update()
  }

  /// Returns whether the microphones that the graph has now may be linked. A refusal is not stored,
  /// because the permission may return before the sources are silenced.
  private func mayRecordMicrophones(in graph: Graph) -> Bool {
    guard let mayRecord else { return true }
    let cards = sources.indices.filter { !silenced.contains($0) }
      .flatMap { graph.cards(of: sources[$0].kind) }
    if cards.isEmpty || cards == allowed { return true }
    let mayBeRecorded = mayRecord(cards)
    allowed = mayBeRecorded ? cards : []
    return mayBeRecorded
  }

  private var microphones: TrackSet {
    TrackSet(sources.indices.filter { sources[$0].kind.isMicrophone })
  }

  /// Removes the links that are not needed. Updates the origins, the gains and the missing devices.
  func update() {
    guard let wanted else { return }
    let needed = Set(wanted.joined())
    // If the default changes, the old links stay until the new links are active, so that the
    // capture always has a source.
    let awaited = Set(needed.filter { links[$0]?.isAwaited == true }.map(\.input))
    for link in links.keys where !needed.contains(link) && !awaited.contains(link.input) {
      guard let removed = links.removeValue(forKey: link) else { continue }
      removed.end()
      former.append(removed)
    }
    let active = links.filter { $0.value.state == .active }
    let inputs = Set(active.keys.map(\.input))
    var missing = TrackSet()
    for (index, group) in wanted.enumerated() {
      let isSilent = group.allSatisfy { !inputs.contains($0.input) }
      if let link = group.first(where: { links[$0]?.state == .active })
        ?? (isSilent ? group.first : nil)
      {
        unsafe origins[index].store(links[link]?.origin?.number ?? .max, ordering: .relaxed)
      }
      if sources[index].channels.count == 1, let input = group.first?.input {
        // For a mono source, the server adds up all channels of a node in the only port. The gain
        // turns this sum into the mean.
        let outputs = links.filter { $0.key.input == input && $0.value.mayPlay }
          .map(\.value.origin?.number)
        let gain = outputs.isEmpty ? 1 : Float(Set(outputs).count) / Float(outputs.count)
        unsafe gains[index].store(gain.bitPattern, ordering: .relaxed)
      }
      if silenced.contains(index) || sources[index].isProgram { continue }
      if isSilent { missing.insert(index) }
    }
    // Relaxed: nothing else is published with the bits or with an origin.
    self.missing.store(missing.rawValue, ordering: .relaxed)
    news.changed.signal()
    if let next = needed.compactMap({ links[$0]?.nextStep(hasStarted) }).min() {
      alarm.set(after: next - KernelClock.monotonic.now)
    }
  }

  /// The time limit for the links of devices, if a device that does not start counts as missing.
  static var patience: Duration { .seconds(2) }

  /// The nodes that the sources record now, or nil if the device of a source is missing or its node
  /// is unknown. Any thread may call it.
  var nodes: [UInt32?] {
    let missing = TrackSet(rawValue: missing.load(ordering: .relaxed))
    return sources.indices.map { index in
      let number = unsafe origins[index].load(ordering: .relaxed)
      let isKnown = number != .max && !missing.contains(index)
      return isKnown ? UInt32(truncatingIfNeeded: number) : nil
    }
  }

  /// Whether the server has answered every request for a link.
  var isComplete: Bool { wanted?.joined().allSatisfy { links[$0]?.state != .requested } ?? false }

  /// Returns whether no link is still being activated, and every device has its ports.
  ///
  /// - Parameter withPrograms: false to ignore the links of programs. Such a link stays inactive
  ///   while its program is paused.
  func isSettled(withPrograms: Bool) -> Bool {
    zip(sources, wanted ?? []).allSatisfy { source, group in
      if source.isProgram && !withPrograms { return true }
      // A new device has no ports until WirePlumber has configured it.
      let awaitsPorts = group.isEmpty && graph?.nodes(of: source.kind).isEmpty == false
      return !(awaitsPorts && !source.isProgram) && !group.contains { links[$0]?.isAwaited == true }
    }
  }

  /// The message of the server if it refused a link of a device that has no active link, otherwise
  /// nil.
  var refusal: String? {
    let missing = TrackSet(rawValue: missing.load(ordering: .relaxed))
    return wanted?.enumerated().lazy.compactMap { index, group in
      missing.contains(index) ? group.lazy.compactMap { self.links[$0]?.refusal }.first : nil
    }.first
  }

  /// The index of a source whose device has no active link, or nil if there is no such source.
  ///
  /// A device that does not respond also prevents the links of other devices from becoming active.
  /// So the result is the source whose links are in the earliest state.
  var inactive: Int? {
    let missing = TrackSet(rawValue: missing.load(ordering: .relaxed))
    let steps = (wanted ?? []).enumerated().compactMap { index, group in
      missing.contains(index)
        ? (index: index, step: group.compactMap { links[$0]?.step }.min() ?? .min) : nil
    }
    return steps.min { $0.step < $1.step }?.index
  }

  /// Removes all links. It must not be called by an event of a link.
  func removeAll() {
    alarm.action = nil
    (links, former) = ([:], [])
  }
}
