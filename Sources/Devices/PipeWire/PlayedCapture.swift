package import Audio
internal import Linux
internal import PipeWire

/// A capture of sound that this machine plays, from the graph of PipeWire.
///
/// The samples are floats at the rate of the graph, because PipeWire converts nothing.
package struct PlayedCapture: ~Copyable, Sendable {
  private var capture: Capture
  /// The negotiated setup.
  package let setup: StreamSetup

  /// Opens the capture. It delivers no frames before `start`.
  init(_ kind: Source.Kind, named name: String, _ request: DeviceRequest) throws(DeviceError) {
    let (connection, registry) = try mapError({ DeviceError.noPipeWire(device: name, $0) }) {
      () throws(ConnectionFailure) in
      let connection = try Connection.open()
      return (connection, try Registry(connection))
    }
    let graph = registry.graph
    try Self.check(kind, named: name, in: graph)
    let source = Source(kind, channels: Self.channels(of: kind, request, in: graph), in: graph)
    let capture = try mapError({ DeviceError.noPipeWire(device: name, $0) }) {
      () throws(ConnectionFailure) in
      try Capture(
        [source], registry, connection, period: request.period ?? .milliseconds(100),
        buffer: request.buffer ?? .seconds(2))
    }
    try Self.check(capture.format, named: name, request)
    setup = StreamSetup(
      device: name, format: capture.format, period: capture.period, buffer: capture.capacity,
      isKernelHardware: false)
    self.capture = capture
  }

  /// Throws if a speaker does not exist, or does not let its sound be recorded. A program may start
  /// later.
  private static func check(
    _ kind: Source.Kind, named name: String, in graph: Graph
  ) throws(DeviceError) {
    if case .program = kind { return }
    guard graph.nodes(of: kind).isEmpty else {
      if graph.channels(of: kind).isEmpty { throw .noMonitor(device: name) }
      return
    }
    let sinks = graph.sinks
    let candidates = sinks.map { NearestDevice.Candidate(name: $0, words: [$0]) }
    let near = NearestDevice.names(to: name.trimmingBytes(first: 7), among: candidates)
    throw .noOutput(device: name, near: near.isEmpty ? sinks : near)
  }

  /// Returns the required number of channels, or at most as many as the source has. It is at least
  /// two, because ports would add the two channels at full level. The take mixes them.
  private static func channels(
    of kind: Source.Kind, _ request: DeviceRequest, in graph: Graph
  ) -> Int {
    if request.channels.isExact { return request.channels.value.value }
    let wanted = max(2, request.channels.value.value)
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

extension PlayedCapture: FrameSource {
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
