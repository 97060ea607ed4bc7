package import Audio
package import Linux
internal import PipeWire

/// A capture device of any kind, opened by its device string.
///
/// It is one concrete type, so code that is generic over `FrameSource` is specialized once for
/// it. The kind of device is checked once per call, not once per frame.
package enum CaptureDevice: ~Copyable, Sendable {
  /// An ALSA PCM.
  case pcm(PCM.Capture)
  /// A built-in device, paced by the kernel's clock.
  case wave(WaveCapture<KernelStreamClock>)
  /// Sources in the graph of PipeWire.
  case graph(GraphCapture)
  /// Several devices without a common clock.
  case combined(CombinedCapture)
  /// A closed device, with the setup that it had.
  case closed(StreamSetup)

  /// Opens a device by its device string.
  package init(_ name: String, _ request: DeviceRequest = .init()) throws(DeviceError) {
    switch try DeviceName(name, for: .capture) {
    case .alsa(let name): self = .pcm(try PCM.Capture(opening: name, request))
    case .wave(let wave, let clockError):
      self = .wave(
        try WaveCapture(
          wave, clockError: clockError, named: name, request, clock: KernelStreamClock()))
    case .played:
      self = .graph(try GraphCapture([Track(device: name)], request, isAlone: true))
    case .null: throw .unknownBuiltIn(name: name, direction: .capture)
    }
  }

  /// Opens the devices of all tracks as one stream. `request` sets the number of channels of a
  /// single track, and of a track whose `channels` are nil.
  package init(_ tracks: [Track], _ request: DeviceRequest = .init()) throws(DeviceError) {
    if let track = tracks.first, tracks.count == 1 {
      self = try CaptureDevice(track.device, request)
      return
    }
    let groups = try tracks.sharingClocks()
    self =
      groups.count > 1
      ? .combined(try CombinedCapture(tracks, groups, request))
      : try CaptureDevice(sharing: tracks, request)
  }

  /// Opens the devices of these tracks, which share a clock. The take has several tracks.
  init(sharing tracks: [Track], _ request: DeviceRequest) throws(DeviceError) {
    let device = tracks[0].device
    if DeviceName.isBuiltIn(device) {
      self = .wave(try WaveCapture(tracks, request, clock: KernelStreamClock()))
    } else if try Source.Kind(of: device) != nil {
      self = .graph(try GraphCapture(tracks, request, isAlone: false))
    } else {
      var request = request
      if let channels = tracks[0].channels.flatMap({ ChannelCount($0.count) }) {
        request.channels = .near(channels)
      }
      self = try CaptureDevice(device, request)
    }
  }

  /// The negotiated setup, which stays available after `close`.
  package var setup: StreamSetup {
    switch self {
    case .pcm(let source): source.setup
    case .wave(let source): source.setup
    case .graph(let source): source.setup
    case .combined(let source): source.setup
    case .closed(let setup): setup
    }
  }

  /// A function that returns the current details of the device of each track.
  package var details: @Sendable () -> [DeviceDetails] {
    // Never inlined, because Swift 6.3 fails to optimize a function that checks the case of the
    // enum twice.
    @inline(never) get {
      switch self {
      case .pcm(let source): Self.details(of: source.setup)
      case .wave(let source): Self.details(of: source.setup)
      case .graph(let source): source.details
      case .combined(let source): source.details
      case .closed(let setup): Self.details(of: setup)
      }
    }
  }

  private static func details(of setup: StreamSetup) -> @Sendable () -> [DeviceDetails] {
    { [title = setup.title] in [DeviceDetails(title: title)] }
  }

  private mutating func with<Value>(
    _ pcm: (inout PCM.Capture) throws(StreamError) -> Value,
    _ wave: (inout WaveCapture<KernelStreamClock>) -> Value,
    _ graph: (inout Capture) throws(ConnectionFailure) -> Value,
    _ combined: (inout SteeredCapture<CaptureDevice>) throws(StreamError) -> Value
  ) throws(StreamError) -> Value {
    switch consume self {
    case .pcm(var source):
      let result = Result { () throws(StreamError) in try pcm(&source) }
      self = .pcm(source)
      return try result.get()
    case .wave(var source):
      let value = wave(&source)
      self = .wave(source)
      return value
    case .graph(var source):
      let result = Result { () throws(ConnectionFailure) in try graph(&source.capture) }
      let device = source.setup.device
      self = .graph(source)
      return try mapError({ StreamError(losing: device, $0) }, result.get())
    case .combined(var source):
      let result = Result { () throws(StreamError) in try combined(&source.capture) }
      self = .combined(source)
      return try result.get()
    case .closed(let setup):
      self = .closed(setup)
      throw StreamError("snd_pcm_close", "", .noDevice)
    }
  }
}

extension CaptureDevice: FrameSource {
  /// The format of the frames from `read`.
  package var format: StreamFormat { setup.format }
  /// The size of the device's buffer in frames.
  package var capacity: FrameCount { setup.buffer }
  /// The number of frames between two wakes.
  package var period: FrameCount { setup.period }

  /// Whether overwritten frames are counted exactly: false for ALSA's plugins. For combined
  /// devices, this is the value of the first device.
  package var countsLostFrames: Bool {
    switch self {
    case .pcm(let source): source.countsLostFrames
    case .wave(let source): source.countsLostFrames
    case .graph: true
    case .combined(let source): source.capture.countsLostFrames
    case .closed(let setup): setup.isKernelHardware
    }
  }

  /// Starts the capture. After `close`, it throws "no such device", as `wait`, `read`, `timing` and
  /// `recover` do.
  package mutating func start() throws(StreamError) {
    try with(
      { source throws(StreamError) in try source.start() }, { $0.start() },
      { source throws(ConnectionFailure) in try source.start() },
      { source throws(StreamError) in try source.start() })
  }

  /// Waits until a period is available, `wake` becomes readable or `limit` has passed.
  package mutating func wait(upTo limit: Duration, wake: Int32) throws(StreamError) -> Readiness {
    try with(
      { source throws(StreamError) in try source.wait(upTo: limit, wake: wake) },
      { $0.wait(upTo: limit, wake: wake) },
      { source throws(ConnectionFailure) in try source.wait(upTo: limit, wake: wake) },
      { source throws(StreamError) in try source.wait(upTo: limit, wake: wake) })
  }

  /// Reads the available whole frames that fit into `buffer`, and counts the frames that were lost
  /// before them.
  package mutating func read(into buffer: inout MutableRawSpan) throws(StreamError) -> FramesRead {
    try with(
      { source throws(StreamError) in try source.read(into: &buffer) },
      { $0.read(into: &buffer) },
      { source throws(ConnectionFailure) in try source.read(into: &buffer) },
      { source throws(StreamError) in try source.read(into: &buffer) })
  }

  /// Returns the position of the stream and the time at which it was measured.
  package mutating func timing() throws(StreamError) -> StreamTiming {
    try with(
      { source throws(StreamError) in try source.timing() }, { $0.timing() },
      { source throws(ConnectionFailure) in try source.timing() },
      { source throws(StreamError) in try source.timing() })
  }

  /// Returns the position at the last interrupt, with its exact time.
  package mutating func lastStep() throws(StreamError) -> StreamTiming {
    try with(
      { source throws(StreamError) in try source.lastStep() }, { $0.timing() },
      { source throws(ConnectionFailure) in try source.timing() },
      { source throws(StreamError) in try source.timing() })
  }

  /// Restarts a stopped stream. Returns false if another attempt is needed.
  package mutating func recover() throws(StreamError) -> Bool {
    try with(
      { source throws(StreamError) in try source.recover() }, { $0.recover() },
      { source throws(ConnectionFailure) in try source.recover() },
      { source throws(StreamError) in try source.recover() })
  }

  /// Sets the function that decides whether the cards of all microphones may be recorded. This
  /// function is called before a new card is captured, and immediately if PipeWire already captures
  /// a microphone. While the function returns false, PipeWire captures no microphone, and no
  /// combined device with a microphone is opened again. Several threads call the function.
  package func guardCards(_ mayRecord: @escaping @Sendable ([OpenedCard?]) -> Bool) {
    switch self {
    case .graph(let source):
      source.capture.guardCards { cards in mayRecord(cards.map { $0.map(OpenedCard.init) }) }
    case .combined(let source): source.guardCards(mayRecord)
    case .pcm: break
    case .wave: break
    case .closed: break
    }
  }

  /// Stops recording these tracks, if PipeWire captures them. Closes each combined device that
  /// records no other track, except the first device.
  package mutating func silence(_ tracks: TrackSet) {
    switch consume self {
    case .graph(var source):
      source.capture.silence(tracks)
      self = .graph(source)
    case .combined(var source):
      source.capture.silence(tracks)
      self = .combined(source)
    case let other: self = other
    }
  }

  /// Stops the capture and drops the unread frames. The device stays open.
  package mutating func stop() {
    switch consume self {
    case .pcm(var source):
      source.stop()
      self = .pcm(source)
    case .wave(var source):
      source.stop()
      self = .wave(source)
    case .graph(var source):
      source.capture.stop()
      self = .graph(source)
    case .combined(var source):
      source.capture.stop()
      self = .combined(source)
    case .closed(let setup): self = .closed(setup)
    }
  }

  /// Closes the device. `setup` and the properties derived from it stay available.
  package mutating func close() {
    if withCombined({ $0.close() }) == nil { self = .closed(setup) }
  }

  /// Closes the device. Of combined devices, closes only the first one.
  package mutating func lose() {
    if withCombined({ $0.lose() }) == nil { self = .closed(setup) }
  }

  /// Opens the closed device again, and starts it. Returns whether it runs with the same format.
  /// Combined devices are opened one by one, and the result is about the first device only.
  package mutating func reopen(_ open: () -> CaptureDevice?) -> Bool {
    withCombined { $0.reopen { nil } } ?? replace(by: open)
  }

  /// Calls `body` with the capture of combined devices. Returns nil for any other device.
  // Never inlined, because Swift 6.3 fails to optimize a function that checks the case of the enum
  // twice.
  @inline(never) private mutating func withCombined<Value>(
    _ body: (inout SteeredCapture<CaptureDevice>) -> Value
  ) -> Value? {
    switch consume self {
    case .combined(var source):
      let value = body(&source.capture)
      self = .combined(source)
      return value
    case let other:
      self = other
      return nil
    }
  }
}

/// A clock that several devices can share.
private enum SharedClock: Hashable {
  /// The graph of PipeWire.
  case graph
  /// The clock of the built-in devices, with its error.
  case builtIn(Int)
  /// The clock of a card. Only one track uses it, so the value is the index of this track.
  case card(Int)
}

extension [Track] {
  /// Groups the tracks by the clocks of their devices. Returns the indices of the tracks in each
  /// group. The first track is in the first group.
  fileprivate func sharingClocks() throws(DeviceError) -> [[Int]] {
    var groups: [(clock: SharedClock, tracks: [Int])] = []
    for (index, track) in enumerated() {
      let clock: SharedClock
      if case .wave(_, let error) = try DeviceName(track.device, for: .capture) {
        clock = .builtIn(error)
      } else {
        clock = try Source.Kind(of: track.device) == nil ? .card(index) : .graph
      }
      if let group = groups.firstIndex(where: { $0.clock == clock }) {
        groups[group].tracks.append(index)
      } else {
        groups.append((clock, [index]))
      }
    }
    return groups.map(\.tracks)
  }
}
