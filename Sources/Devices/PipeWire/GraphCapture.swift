package import Audio
internal import Linux
internal import PipeWire

/// A capture of one or several sources in the graph of PipeWire: microphones, and sound that this
/// machine plays. All sources have the same clock.
///
/// The samples are floats at the rate of the graph, because PipeWire converts nothing.
package struct GraphCapture: ~Copyable, Sendable {
  private var capture: Capture
  /// The negotiated setup.
  package let setup: StreamSetup

  /// Opens the capture. It delivers no frames before `start`.
  init(_ tracks: [Track], _ request: DeviceRequest) throws(DeviceError) {
    let name = tracks.devices
    let kinds = try Source.Kind.kinds(of: tracks)
    let (connection, registry) = try mapError({ DeviceError.noPipeWire(device: name, $0) }) {
      () throws(ConnectionFailure) in
      let connection = try Connection.open()
      return (connection, try Registry(connection))
    }
    let graph = registry.graph
    var (sources, groups, end) = ([Source](), [Range<Int>](), 0)
    for (kind, track) in zip(kinds, tracks) {
      try Self.check(kind, named: track.device, in: graph)
      let count =
        track.channels?.count
        ?? Self.channels(of: kind, request, isAlone: tracks.count == 1, in: graph)
      sources.append(Source(kind, channels: count, in: graph))
      groups.append(end..<end + count)
      end += count
    }
    let capture = try mapError({ DeviceError.noPipeWire(device: name, $0) }) {
      () throws(ConnectionFailure) in
      try Capture(
        sources, registry, connection, period: request.period ?? .milliseconds(100),
        buffer: request.buffer ?? .seconds(2))
    }
    try Self.check(capture.format, named: name, request)
    setup = StreamSetup(
      device: name, format: capture.format, period: capture.period, buffer: capture.capacity,
      isKernelHardware: false, groups: groups)
    self.capture = capture
  }

  /// Throws if a microphone or a speaker does not exist, or if a speaker does not let its sound be
  /// recorded. A program may start later.
  private static func check(
    _ kind: Source.Kind, named name: String, in graph: Graph
  ) throws(DeviceError) {
    if case .program = kind { return }
    guard graph.nodes(of: kind).isEmpty else {
      if graph.channels(of: kind).isEmpty { throw .noMonitor(device: name) }
      return
    }
    switch kind {
    case .node(let node): throw .noNode(node, .capture, near: graph.microphones)
    case .defaultSource: throw .noNode(name, .capture, near: graph.microphones)
    case .monitor, .defaultMonitor, .program: break
    }
    let sinks = graph.sinks
    let candidates = sinks.map { NearestDevice.Candidate(name: $0, words: [$0]) }
    let near = NearestDevice.names(to: name.trimmingBytes(first: 7), among: candidates)
    throw .noOutput(device: name, near: near.isEmpty ? sinks : near)
  }

  /// Returns the required number of channels, or at most as many as the source has. For a single
  /// source it is at least two, because ports would add the two channels at full level. The take
  /// mixes them.
  private static func channels(
    of kind: Source.Kind, _ request: DeviceRequest, isAlone: Bool, in graph: Graph
  ) -> Int {
    let requested = request.channels.value.value
    if request.channels.isExact { return requested }
    let wanted = isAlone ? max(2, requested) : requested
    let available = graph.channels(of: kind).count
    return available == 0 ? wanted : min(wanted, available)
  }

  /// Throws if the request requires another format.
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

  /// Runs a step of the capture. A failure is a lost connection.
  private mutating func with<Value>(
    _ body: (inout Capture) throws(ConnectionFailure) -> Value
  ) throws(StreamError) -> Value {
    let device = setup.device
    return try mapError({ (_: ConnectionFailure) in
      StreamError("pw_core_disconnect", device, .connectionReset)
    }) { () throws(ConnectionFailure) in try body(&capture) }
  }
}

extension GraphCapture: FrameSource {
  /// The format of the frames from `read`.
  package var format: StreamFormat { setup.format }
  /// The number of frames that the reader may be late.
  package var capacity: FrameCount { setup.buffer }
  /// The number of frames between two wakes.
  package var period: FrameCount { setup.period }
  /// Always true: the graph counts its frames.
  package var countsLostFrames: Bool { true }

  /// Starts the capture.
  package mutating func start() throws(StreamError) {
    try with { capture throws(ConnectionFailure) in try capture.start() }
  }

  /// Waits until a period is available, `wake` becomes readable or `limit` has passed.
  package mutating func wait(upTo limit: Duration, wake: Int32) throws(StreamError) -> Readiness {
    try with { capture throws(ConnectionFailure) in try capture.wait(upTo: limit, wake: wake) }
  }

  /// Reads the available frames, and counts the frames that were lost before them.
  package mutating func read(into buffer: inout MutableRawSpan) throws(StreamError) -> FramesRead {
    try with { capture throws(ConnectionFailure) in try capture.read(into: &buffer) }
  }

  /// Returns the position of the stream and the time of the last cycle of the graph.
  package mutating func timing() throws(StreamError) -> StreamTiming {
    try with { capture throws(ConnectionFailure) in try capture.timing() }
  }

  /// Returns true unless the connection is lost.
  package mutating func recover() throws(StreamError) -> Bool {
    try with { capture throws(ConnectionFailure) in try capture.recover() }
  }

  /// Stops the capture and drops the unread frames.
  package mutating func stop() { capture.stop() }
}

extension Source.Kind {
  /// Returns the source of each track. Throws if one of several devices is not a source of PipeWire.
  fileprivate static func kinds(of tracks: [Track]) throws(DeviceError) -> [Source.Kind] {
    var kinds: [Source.Kind] = []
    for track in tracks {
      guard let kind = try Source.Kind(of: track.device) else {
        throw .unrelated(tracks.map(\.device))
      }
      kinds.append(kind)
    }
    return kinds
  }

  /// The source of a device, or nil if the device is not one of the default server. Beside other
  /// tracks, `default` is PipeWire's default microphone.
  private init?(of device: String) throws(DeviceError) {
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
