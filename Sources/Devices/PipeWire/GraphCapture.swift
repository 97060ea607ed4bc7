internal import Audio
internal import Linux
internal import PipeWire

/// A capture of one or several sources in the graph of PipeWire: microphones, and sound that this
/// machine plays. All sources have the same clock.
///
/// The samples are the floats of the graph, at the rate of the graph, because PipeWire converts
/// nothing.
package struct GraphCapture: ~Copyable, Sendable {
  var capture: Capture
  /// The negotiated setup.
  package let setup: StreamSetup
  /// A function that returns the details of each device, or an empty list after the capture was
  /// destroyed.
  let details: @Sendable () -> [DeviceDetails]

  /// Opens the capture. It delivers no frames before `start`.
  ///
  /// - Parameter isAlone: whether the take has only one track.
  init(_ tracks: [Track], _ request: DeviceRequest, isAlone: Bool) throws(DeviceError) {
    let name = tracks.devices
    let kinds = try Source.Kind.kinds(of: tracks)
    let (connection, registry) = try Self.connecting(tracks) { () throws(ConnectionFailure) in
      let connection = try Connection.open(needsRealTime: true)
      return (connection, try Registry(connection, withDetails: !isAlone))
    }
    let graph = registry.graph
    var sources: [Source] = []
    // If several devices are opened again, as after a restart of the server, some of them may be
    // missing, but not all.
    let mayMiss = tracks.count > 1 && kinds.contains { !graph.nodes(of: $0).isEmpty }
    for (kind, track) in zip(kinds, tracks) {
      // A track has channels if its device was open before.
      if !mayMiss || track.channels == nil { try Self.check(kind, named: track.device, in: graph) }
      let count =
        track.channels?.count
        ?? Self.channels(of: kind, request, isAlone: isAlone, in: graph)
      sources.append(Source(kind, channels: count, named: graph.channels(of: kind)))
    }
    let capture = try Self.connecting(tracks) { () throws(ConnectionFailure) in
      try Capture(
        sources, registry, connection, period: request.period ?? .milliseconds(100),
        buffer: request.buffer ?? .seconds(2),
        requiresDevices: !mayMiss || tracks.contains { $0.channels == nil })
    }
    try Self.check(capture.format, named: name, request)
    setup = StreamSetup(
      device: name, format: capture.format, period: capture.period, buffer: capture.capacity,
      isKernelHardware: false, cards: registry.graph.cards(of: kinds),
      groups: sources.map(\.channels.count).consecutiveRanges)
    details = { [titles = capture.titles, offsets = capture.offsets, areIdle = capture.areIdle] in
      zip(zip(titles(), offsets()), areIdle()).map { device, isIdle in
        var details = DeviceDetails(title: device.0, offset: device.1)
        details.isIdle = isIdle
        return details
      }
    }
    self.capture = capture
  }

  /// Runs a step that needs PipeWire. Converts its error to an error with the names of the devices.
  private static func connecting<Value: ~Copyable>(
    _ tracks: [Track], _ step: () throws(ConnectionFailure) -> Value
  ) throws(DeviceError) -> Value {
    try mapError(
      { (failure: ConnectionFailure) -> DeviceError in
        switch failure {
        case .unlinked(let reason): .unlinked(device: tracks.devices, reason)
        case .inactive(let source, let limit): .inactive(device: tracks[source].device, limit)
        default: .noPipeWire(device: tracks.devices, failure)
        }
      }, step)
  }

  /// Throws if a microphone or a speaker does not exist, or if a speaker does not allow its sound
  /// to be recorded. A program is not checked, because it may start later.
  static func check(
    _ kind: Source.Kind, named name: String, in graph: Graph
  ) throws(DeviceError) {
    if case .program = kind { return }
    guard graph.nodes(of: kind).isEmpty else {
      if graph.channels(of: kind).isEmpty { throw .noMonitor(device: name) }
      return
    }
    let microphones = graph.microphones.map(\.candidate)
    let sinks = graph.sinks.map(\.candidate)
    switch kind {
    case .node(let node): throw .noNode(node, .capture, near: microphones.names(near: node))
    case .defaultSource: throw .noNode(name, .capture, near: microphones.map(\.name))
    case .monitor(let node): throw .noOutput(device: name, near: sinks.names(near: node))
    case .defaultMonitor, .program: throw .noOutput(device: name, near: sinks.map(\.name))
    }
  }

  /// Returns the number of channels to capture. This is the required number, if there is one.
  /// Otherwise it is the wanted number, but not more than the source has. If the take has only this
  /// source, at least two channels are wanted, and the take mixes them.
  private static func channels(
    of kind: Source.Kind, _ request: DeviceRequest, isAlone: Bool, in graph: Graph
  ) -> Int {
    let requested = request.channels.value.value
    if request.channels.isExact { return requested }
    let wanted = isAlone ? max(2, requested) : requested
    let available = graph.channels(of: kind).count
    return available == 0 ? wanted : min(wanted, available)
  }

  /// Throws if the request requires another rate or another sample format than `format` has.
  private static func check(
    _ format: StreamFormat, named name: String, _ request: DeviceRequest
  ) throws(DeviceError) {
    let asked: DeviceError.Trait? =
      if request.rate.isExact && request.rate.value != format.rate {
        .rate(request.rate.value)
      } else if request.sample.isExact && request.sample.value != format.sample {
        .sample(request.sample.value)
      } else {
        nil
      }
    guard let asked else { return }
    let able = Capabilities(
      rates: format.rate.hertz...format.rate.hertz, commonRates: [format.rate],
      channels: 1...format.channels.value, formats: [format.sample], otherFormats: [])
    throw .unable(StreamError("pw_filter_connect", name, .invalid), asked: asked, able: able)
  }
}

extension OpenedCard {
  /// A card in the graph of PipeWire.
  init(_ card: Graph.Card) { self.init(number: card.number, device: card.device) }
}

extension Track {
  /// Whether PipeWire captures the device in a take with several tracks.
  package var isInGraph: Bool { (try? Source.Kind(of: device)) ?? nil != nil }
}

extension [Track] {
  /// Returns the cards of the microphones that PipeWire would capture for these tracks now, if the
  /// take has several tracks. An element is nil if the card of a microphone is unknown. The list is
  /// empty if PipeWire cannot be reached.
  package func cardsInGraph() -> [OpenedCard?] {
    guard let kinds = try? Source.Kind.kinds(of: self), !kinds.isEmpty,
      let connection = try? Connection.open(),
      let registry = try? Registry(connection, withDetails: true)
    else { return [] }
    return registry.graph.cards(of: kinds)
  }
}

extension Graph {
  /// Returns the cards of all these sources.
  fileprivate func cards(of kinds: [Source.Kind]) -> [OpenedCard?] {
    kinds.flatMap { cards(of: $0).map { $0.map(OpenedCard.init) } }
  }
}

extension Source.Kind {
  /// Returns the source in PipeWire's graph for each track that PipeWire captures.
  fileprivate static func kinds(of tracks: [Track]) throws(DeviceError) -> [Source.Kind] {
    var kinds: [Source.Kind] = []
    for track in tracks {
      if let kind = try Source.Kind(of: track.device) { kinds.append(kind) }
    }
    return kinds
  }

  /// The source that PipeWire captures for a device in a take with several tracks, or nil if
  /// PipeWire's default server does not capture the device. In a take with several tracks,
  /// `default` and `pipewire` mean PipeWire's default microphone.
  init?(of device: String) throws(DeviceError) {
    switch try DeviceName(device, for: .capture) {
    case .played(let kind): self = kind
    case .alsa(let name) where ["default", "pipewire"].contains(where: name.isSameName):
      self = .defaultSource
    case .alsa(let name):
      guard let name = NodeName(name), name.server == nil else { return nil }
      self = .node(name.node)
    case .wave, .null: return nil
    }
  }
}
