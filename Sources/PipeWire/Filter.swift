internal import Audio
internal import CPipeWire
internal import Linux
internal import RealTime
internal import Synchronization

/// The node of a capture in the graph, with its ports and its links.
///
/// SAFETY: the pointer never changes, and it is used only while the loop is locked.
@safe final class Filter: @unchecked Sendable {
  let cycle: CaptureCycle
  private let connection: Connection
  private let registry: Registry
  let linker: Linker
  private let pointer: UnsafeMutableRawPointer
  private let listener: Listener<pipewire_filter_events>

  init(
    _ sources: [Source], _ registry: Registry, _ connection: Connection, period: Duration,
    _ rings: consuming CaptureCycle.Rings
  ) throws(ConnectionFailure) {
    let linker = Linker(connection, sources)
    cycle = try CaptureCycle(sources, linker, rings)
    let pointer = unsafe connection.locked {
      unsafe pipeWire.filter_new(
        connection.core, "recorder", PipeWire.properties(Self.settings(period)))
    }
    guard let pointer = unsafe pointer else { throw .ended }
    unsafe linker.filter = pointer
    listener = Listener(Self.events)
    self.connection = connection
    self.registry = registry
    self.linker = linker
    unsafe self.pointer = pointer
    try connect(sources)
    registry.follow { graph in linker.follow(graph) }
  }

  deinit {
    registry.follow(nil)
    connection.locked {
      linker.removeAll()
      unsafe pipeWire.filter_destroy(pointer)
    }
  }

  private static func settings(_ period: Duration) -> [(String, String)] {
    let frames = FrameCount(period, at: .hz48000).value
    return [
      ("node.name", "recorder"), ("media.type", "Audio"), ("media.category", "Capture"),
      ("media.role", "DSP"), ("node.latency", "\(frames)/48000"),
      // Cycles continue while every source is missing, so that the time of the recording continues.
      ("node.always-process", "true"), ("node.want-driver", "true"), ("node.lock-rate", "true"),
    ]
  }

  private func connect(_ sources: [Source]) throws(ConnectionFailure) {
    let isConnected = connection.locked {
      unsafe listener.listen(toFilter: pointer, for: cycle)
      for (channel, name) in sources.flatMap(\.channels).enumerated() {
        let settings = unsafe PipeWire.properties([
          ("format.dsp", "32 bit float mono audio"), ("port.name", "input_\(channel + 1)"),
          ("audio.channel", name),
        ])
        let port = unsafe pipeWire.filter_add_port(
          pointer, 0, Int32(pipewire_port_maps_buffers), 8, settings, nil, 0)
        unsafe cycle.setPort(port, of: channel)
      }
      let flags = Int32(pipewire_filter_real_time)
      return unsafe pipeWire.filter_connect(pointer, flags, nil, 0) >= 0
    }
    if !isConnected { throw .ended }
  }

  private static var events: pipewire_filter_events {
    var events = pipewire_filter_events()
    events.version = 1
    unsafe events.state_changed = { data, _, state, _ in
      // The state is 0 after another program has removed the node.
      if state == pipewire_filter_failed || state == 0 {
        unsafe object(CaptureCycle.self, data)?.end(.ended)
      }
    }
    unsafe events.process = { data, clock in
      guard let clock = unsafe clock else { return }
      unsafe object(CaptureCycle.self, data)?.process(clock)
    }
    return events
  }
}

extension Filter {
  /// The descriptor that is readable after a change of the connection.
  var changed: CInt { connection.news.changed.descriptor.number }

  /// Makes `changed` unreadable until the next change.
  func clearChanged() { connection.news.changed.clear() }

  /// Throws if the capture has ended.
  func throwFailure() throws(ConnectionFailure) {
    if let failure = connection.failure ?? cycle.failure { throw failure }
  }

  /// Unlinks the sources of these tracks, and links all other sources. A source that an earlier
  /// call silenced is linked again if its track is not in `tracks`.
  func silence(_ tracks: TrackSet) {
    let linker = linker
    connection.locked { linker.silenced = tracks }
    registry.follow { graph in linker.follow(graph) }
  }

  /// Calls `mayRecord` with the cards of the microphones now, and again before other cards are
  /// recorded.
  func guardCards(_ mayRecord: @escaping ([Graph.Card?]) -> Bool) {
    let linker = linker
    connection.locked { linker.mayRecord = mayRecord }
    registry.follow { graph in linker.follow(graph) }
  }

  /// Waits for the links, and for a cycle with them. Returns the cycle's rate and number of frames.
  ///
  /// The links become active one after another, and each link may change the driver of the graph,
  /// and with it the cycles. For the links of programs, this function waits only a few cycles,
  /// because the link of a paused program stays inactive.
  ///
  /// - Parameter requiresDevices: whether each device must start. Otherwise a device that does not
  ///   start counts as missing.
  func firstCycle(
    requiresDevices: Bool
  ) throws(ConnectionFailure) -> (rate: UInt32, frames: Int) {
    try connection.wait { connection.locked { linker.isComplete } ? () : nil }
    let limit = requiresDevices ? Connection.patience : Linker.patience
    let areSettled: Void? = try connection.wait(upTo: limit) {
      connection.locked { linker.isSettled(withPrograms: false) } ? () : nil
    }
    if let refusal = connection.locked({ linker.refusal }) { throw .unlinked(refusal) }
    if areSettled == nil, requiresDevices, let source = connection.locked({ linker.inactive }) {
      throw .inactive(source: source, limit)
    }
    for _ in 0..<Self.mostCyclesForPrograms
    where !connection.locked({ linker.isSettled(withPrograms: true) }) {
      _ = try nextCycle()
    }
    let first = try nextCycle()
    connection.locked { linker.hasStarted = true }
    return first
  }

  private static var mostCyclesForPrograms: Int { 4 }

  /// Waits for a cycle that begins after this call.
  private func nextCycle() throws(ConnectionFailure) -> (rate: UInt32, frames: Int) {
    cycle.rate.store(0, ordering: .relaxed)
    let deadline = KernelClock.monotonic.now + Connection.patience
    while true {
      cycle.ready.clear()
      try throwFailure()
      // Acquiring: pairs with the releasing store in `CaptureCycle.announce`.
      let rate = cycle.rate.load(ordering: .acquiring)
      if rate > 0 { return (rate, cycle.length.load(ordering: .relaxed)) }
      let left = deadline - KernelClock.monotonic.now
      guard left > .zero, (try? cycle.ready.descriptor.wait(upTo: left)) == true else {
        throw .noAnswer(Connection.patience)
      }
    }
  }
}
