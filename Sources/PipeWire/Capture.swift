package import Audio
internal import CPipeWire
internal import Linux
internal import RealTime
internal import Synchronization

/// A node that records several sources in the same cycles of the graph, so that the sources never
/// drift apart.
///
/// Its frames have the channels of all sources, in the order of the sources. The sources may change
/// while it records: a missing source is silent until it returns.
package struct Capture: ~Copyable, Sendable {
  private let filter: Filter
  private var frames: SampleRing.Reader
  private var changes: SampleRing.Reader
  private var stamp: LatestValue<CaptureCycle.Stamp>.Reader
  /// The next change, or nil if none was reported.
  private var change: CaptureCycle.Change?
  /// The sources that are silent in the next frames.
  private var silent = SilentTracks()
  private var taken = 0
  private var poll = Poll(capacity: 3)
  /// The format of the frames: floats at the rate of the graph.
  package let format: StreamFormat
  /// The number of frames between two wakes.
  package let period: FrameCount
  /// A function that returns the current delay of each source relative to the first source, or nil
  /// for the first source and for an unknown delay.
  package let offsets: @Sendable () -> [Duration?]
  /// A function that returns, for each source, the description of the recorded device. Nil for a
  /// program, and for a missing device.
  package let titles: @Sendable () -> [String?]
  /// A function that returns whether each source is a program without a stream.
  package let areIdle: @Sendable () -> [Bool]

  private static var mostChanges: FrameCount { 256 }
  /// The duration of the smallest buffer. It holds several of the longest cycles, which have 8,192
  /// frames.
  private static var leastBuffer: Duration { .milliseconds(500) }
  private static var longestBuffer: Duration { .seconds(60) }
  /// The rate from which the size of the ring is computed. The ring is created before the rate of
  /// the graph is known.
  private static var highestRate: SampleRate { SampleRate(192_000) ?? .hz48000 }

  /// Creates the node and its links, and waits for the first cycle. Frames are dropped until
  /// `start`.
  ///
  /// - Parameters:
  ///   - period: the time between two wakes of the reader.
  ///   - buffer: the time that the reader may be late.
  ///   - requiresDevices: whether each device must start. Otherwise a device that does not start
  ///     counts as missing.
  package init(
    _ sources: [Source], _ registry: Registry, _ connection: Connection, period: Duration,
    buffer: Duration, requiresDevices: Bool = true
  ) throws(ConnectionFailure) {
    let channels = sources.map(\.channels.count).reduce(0, +)
    let room = min(max(buffer, period * 2, Self.leastBuffer), Self.longestBuffer)
    let capacity = FrameCount(room, at: Self.highestRate)
    var frames = SampleRing(
      capacity: capacity, bytesPerFrame: channels * MemoryLayout<Float>.size)
    var changes = SampleRing(
      capacity: Self.mostChanges, bytesPerFrame: MemoryLayout<CaptureCycle.Change>.size)
    var stamp = LatestValue(CaptureCycle.Stamp())
    let filter = try Filter(
      sources, registry, connection, period: period,
      CaptureCycle.Rings(frames: frames.writer(), changes: changes.writer(), stamp: stamp.writer()))
    let cycle = try filter.firstCycle(requiresDevices: requiresDevices)
    guard let rate = SampleRate(Int(cycle.rate)), let count = ChannelCount(channels) else {
      throw .rateChanged
    }
    self.filter = filter
    format = StreamFormat(rate: rate, channels: count, sample: .float32)
    self.period = min(
      max(FrameCount(cycle.frames), FrameCount(period, at: rate)),
      FrameCount(room / 2, at: rate))
    filter.cycle.expectedRate.store(cycle.rate, ordering: .relaxed)
    filter.cycle.period.store(Int(self.period.value), ordering: .relaxed)
    offsets = { [weak registry, weak cycle = filter.cycle] in
      guard let registry, let cycle else { return [] }
      let (graph, length) = (registry.graph, cycle.length.load(ordering: .relaxed))
      let delays = sources.map {
        graph.delay(of: $0.kind, cycle: length, rate: Double(rate.hertz))
      }
      return delays.enumerated().map { index, delay in
        guard index > 0, let delay, let first = delays[0] else { return nil }
        return delay - first
      }
    }
    titles = { [weak registry, weak linker = filter.linker] in
      guard let graph = registry?.graph, let nodes = linker?.nodes else { return [] }
      return zip(sources, nodes).map { source, node in
        source.isProgram ? nil : node.flatMap { graph.nodes[$0]?.title }
      }
    }
    areIdle = { [weak registry] in
      guard let graph = registry?.graph else { return [] }
      return sources.map { $0.isProgram && graph.nodes(of: $0.kind).isEmpty }
    }
    self.capacity = capacity
    self.frames = frames.reader()
    self.changes = changes.reader()
    self.stamp = stamp.reader()
  }

  /// The number of frames that the reader may be late.
  package let capacity: FrameCount
}

extension Capture: FrameSource {
  /// Always true: the graph counts its frames.
  package var countsLostFrames: Bool { true }

  /// Starts the delivery of frames.
  package mutating func start() throws(ConnectionFailure) {
    try filter.throwFailure()
    // Releasing: pairs with the acquiring load in `CaptureCycle.process`.
    filter.cycle.isStarted.store(true, ordering: .releasing)
  }

  /// Waits until a period is available, `wake` becomes readable or `limit` has passed.
  package mutating func wait(
    upTo limit: Duration, wake: Int32
  ) throws(ConnectionFailure) -> Readiness {
    let deadline = KernelClock.monotonic.now + limit
    while true {
      filter.cycle.ready.clear()
      if frames.fill >= Int(period.value) { return .ready }
      do {
        try filter.throwFailure()
      } catch {
        // The frames before the failure are read first.
        if frames.fill > 0 { return .ready }
        throw error
      }
      poll.removeAll()
      poll.add(filter.cycle.ready.descriptor.number)
      poll.add(filter.changed)
      poll.add(wake)
      let left = deadline - KernelClock.monotonic.now
      guard left > .zero else { return .timedOut }
      _ = try? poll.wait(upTo: left)
      if !poll[1].isEmpty { filter.clearChanged() }
      if !poll[2].isEmpty { return .woken }
    }
  }

  /// Reads the available frames up to the next change, and counts the lost frames before them.
  package mutating func read(into buffer: inout MutableRawSpan) throws(ConnectionFailure)
    -> FramesRead
  {
    // Read the fill first: every change before these frames is then visible in `changes`.
    let fill = frames.fill
    if change == nil { change = changes.takeChange() }
    var lost = 0
    while let next = change, next.position <= taken {
      lost += next.length
      (silent, change) = (next.silent, changes.takeChange())
    }
    let limit = min(fill, change.map { $0.position - taken } ?? fill)
    let count = copy(upTo: min(limit, buffer.byteCount / format.bytesPerFrame), into: &buffer)
    if fill == 0 && lost == 0 { try filter.throwFailure() }
    return FramesRead(count: count, lost: FrameCount(lost), isAll: count == fill, silent: silent)
  }

  private mutating func copy(upTo limit: Int, into buffer: inout MutableRawSpan) -> Int {
    let size = format.bytesPerFrame
    var done = 0
    while done < limit {
      let count: Int
      do {
        let bytes = frames.frames(upTo: limit - done)
        count = bytes.byteCount / size
        buffer.copy(bytes.byteCount, from: bytes, at: 0, to: done * size)
      }
      frames.release(count)
      done += count
    }
    taken += done
    return done
  }

  /// Returns the number of unread frames, and the time of the sound after the last of them.
  package mutating func timing() throws(ConnectionFailure) -> StreamTiming {
    let last = stamp.read()
    guard last.nanoseconds > 0 else {
      return StreamTiming(instant: KernelClock.monotonic.now, available: 0)
    }
    return StreamTiming(
      instant: .nanoseconds(Int64(clamping: last.nanoseconds)),
      available: FrameCount(max(0, last.delivered - taken)))
  }

  /// Always true: a late reader loses frames, but the node never stops.
  package mutating func recover() throws(ConnectionFailure) -> Bool {
    try filter.throwFailure()
    return true
  }

  /// Calls `mayRecord` with the cards of the microphones now, and again before other cards are
  /// recorded. While `mayRecord` returns false, no microphone is recorded. `mayRecord` is also
  /// called on the thread of the connection.
  package func guardCards(_ mayRecord: @escaping @Sendable ([Graph.Card?]) -> Bool) {
    filter.guardCards(mayRecord)
  }

  /// Unlinks the sources of these tracks, and links all other sources. A source that an earlier
  /// call silenced is linked again if its track is not in `tracks`.
  package mutating func silence(_ tracks: TrackSet) { filter.silence(tracks) }

  /// Stops the delivery of frames, and drops the unread frames and losses.
  package mutating func stop() {
    filter.cycle.isStarted.store(false, ordering: .releasing)
    let size = format.bytesPerFrame
    var count = 1
    while count > 0 {
      do { count = frames.frames().byteCount / size }
      frames.release(count)
      taken += count
    }
    // The real-time thread reports only changes, so the last change still applies after the next
    // start.
    while let next = change ?? changes.takeChange() { (silent, change) = (next.silent, nil) }
  }
}

extension SampleRing.Reader {
  /// Takes the next change, or returns nil if there is none.
  fileprivate mutating func takeChange() -> CaptureCycle.Change? {
    let change: CaptureCycle.Change
    do {
      let bytes = frames(upTo: 1)
      guard bytes.byteCount > 0 else { return nil }
      change = unsafe bytes.unsafeLoad(as: CaptureCycle.Change.self)
    }
    release(1)
    return change
  }
}
