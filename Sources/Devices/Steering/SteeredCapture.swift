internal import Audio

/// A capture of several devices that do not share a clock, as one stream. The clock of the first
/// device is the clock of the stream. The frames of the other devices are resampled to its pace.
///
/// The frames are floats, with the channels of all tracks side by side. The tracks of a device that
/// is late, was lost or has lost frames are silent.
struct SteeredCapture<Source: FrameSource & ~Copyable>: ~Copyable, Sendable {
  let format: StreamFormat
  let period: FrameCount
  let capacity: FrameCount
  let countsLostFrames: Bool
  private let first: QueuedSource<Source>
  /// The indices of the first device's channels in a frame of the capture.
  private let channels: [Int]
  private var others: [SteeredDevice<Source>]
  /// The largest number of frames that wait for another device.
  private let mostWaiting: Int
  /// The longest time between two reads of the other devices: half of the time that the smallest of
  /// their buffers lasts.
  private let longestWait: Duration
  private var hasBegun = false
  /// The first device's `passed` at the time when the devices were last closed.
  private var closed = 0
  /// Whether the queues may have the frames for another block. If not, the devices are read first.
  private var isFilled = false

  /// The longest wait for the first frames of the other devices, in seconds.
  private static var longestStart: Int { 2 }
  private static var block: Int { 4_096 }

  /// A capture of these devices. `groups` are the channels of all tracks in a frame.
  init(
    _ first: QueuedSource<Source>, _ others: [QueuedSource<Source>], groups: [Range<Int>]
  ) {
    let rate = first.format.rate
    self.first = first
    channels = first.tracks.flatMap { groups[$0] }
    self.others = others.map { device in
      SteeredDevice(device, channels: device.tracks.flatMap { groups[$0] }, rate: rate)
    }
    let count = groups.reduce(0) { max($0, $1.upperBound) }
    format = StreamFormat(
      rate: rate, channels: ChannelCount(count) ?? first.format.channels, sample: .float32)
    let devices = [first] + others
    period =
      devices.map { $0.period.converted(from: $0.format.rate, to: rate) }.max() ?? first.period
    capacity =
      devices.map { $0.capacity.converted(from: $0.format.rate, to: rate) }.min() ?? first.capacity
    countsLostFrames = first.countsLostFrames
    let reach = self.others.map(\.reach).max() ?? 0
    mostWaiting = 2 * Int(period.value) + rate.hertz / 10 + reach
    let shortest = others.map { $0.capacity.duration(at: $0.format.rate) }.min() ?? .seconds(1)
    longestWait = max(shortest / 2, .milliseconds(1))
  }
}

extension SteeredCapture: FrameSource where Source: ~Copyable {
  typealias Failure = Source.Failure

  /// One period plus the largest number of frames that wait for another device.
  var mostUnread: FrameCount { period + FrameCount(mostWaiting) }

  /// Starts all devices, the first one last.
  mutating func start() throws(Source.Failure) {
    for other in others { try other.device.start() }
    try first.start()
  }

  /// Waits for the first device. During this wait, reads the other devices before their buffers are
  /// full.
  mutating func wait(upTo limit: Duration, wake: Int32) throws(Source.Failure) -> Readiness {
    var left = limit
    while left > longestWait {
      let readiness = try first.wait(upTo: longestWait, wake: wake)
      guard case .timedOut = readiness else { return readiness }
      refillOthers()
      left -= longestWait
    }
    return try first.wait(upTo: left, wake: wake)
  }

  /// Returns the position of the first device.
  mutating func timing() throws(Source.Failure) -> StreamTiming { try first.timing() }

  /// Reads a block of frames. The same tracks are silent in all of these frames.
  mutating func read(into buffer: inout MutableRawSpan) throws(Source.Failure) -> FramesRead {
    if !isFilled {
      try first.fill()
      refillOthers()
      isFilled = true
    }
    let count = hasBegun || begin() ? prepare(upTo: buffer.byteCount / format.bytesPerFrame) : 0
    guard count > 0 else {
      isFilled = false
      let lost = first.skipLoss()
      // Before the first frame, nothing counts as lost.
      return FramesRead(count: 0, lost: FrameCount(hasBegun ? lost : 0), isAll: lost == 0)
    }
    return FramesRead(count: count, silent: render(count, into: &buffer))
  }

  /// Restarts the first device. The others are restarted when they are read.
  mutating func recover() throws(Source.Failure) -> Bool { try first.recover() }

  /// Stops recording these tracks permanently. Closes devices that record no other track, except
  /// the first device, because its clock is needed.
  mutating func silence(_ tracks: TrackSet) {
    first.silence(tracks)
    for other in others.map(\.device) {
      other.silence(tracks)
      if other.recorded.isEmpty { other.close() }
    }
  }

  /// Stops all devices.
  mutating func stop() {
    first.stop()
    for other in others { other.device.stop() }
  }

  /// Closes all devices.
  mutating func close() {
    first.close()
    for index in others.indices { others[index].close() }
    (hasBegun, isFilled, closed) = (false, false, first.passed)
  }

  /// Closes the first device. The others still run.
  mutating func lose() { first.close() }

  /// Opens the closed devices again. Returns whether the first one is back; the others may be
  /// missing.
  mutating func reopen(_ open: () -> SteeredCapture?) -> Bool {
    refillOthers()
    // Without the first device, nothing is recorded, and the queues of the others would become
    // full. A full queue would make the time stamps wrong, so old frames are removed.
    for index in others.indices { others[index].forget() }
    return first.reopen()
  }
}

extension SteeredCapture where Source: ~Copyable {
  private func refillOthers() {
    // An iterator would allocate.
    for index in others.indices { others[index].device.refill(at: first.passed, format.rate) }
  }

  /// Begins the stream when all devices deliver frames, and drops earlier frames. After
  /// `longestStart`, begins without the devices that deliver nothing: they are silent at first.
  /// Returns whether the stream has begun.
  private mutating func begin() -> Bool {
    let isLate = first.passed - closed > Self.longestStart * format.rate.hertz
    let isSteady = others.allSatisfy { !$0.device.isExpected || $0.device.clock.isSteady }
    guard first.clock.isSteady, isSteady || isLate else {
      first.drop(before: first.queue.end)
      for other in others { other.forget() }
      return false
    }
    var begin = Double(first.queue.first)
    for other in others where other.device.clock.isSteady {
      if let time = other.begin, let frame = first.clock.frame(at: time) {
        begin = max(begin, frame.rounded(.up))
      }
    }
    first.drop(before: Int(begin))
    hasBegun = first.queue.first >= Int(begin)
    return hasBegun
  }

  /// Returns the number of frames of the next block, or 0 if a device has to be read first.
  private mutating func prepare(upTo limit: Int) -> Int {
    let frame = first.queue.first
    let change = first.change(after: frame).map { $0 - frame } ?? limit
    var count = min(min(limit, Self.block), min(first.queue.count, change))
    guard count > 0 else { return 0 }
    let time = first.clock.time(of: Double(frame))
    // After a restart and before a long loss, no frames wait for other devices, because waiting
    // frames would be counted as lost.
    let mayWait = first.clock.isSteady && !first.endsWithLoss
    let overdue = max(0, first.queue.count - (mayWait ? mostWaiting : 0))
    for index in others.indices {
      count = others[index].prepare(at: time, first.clock, upTo: count, overdue: overdue)
    }
    return count
  }

  /// Writes a block, and returns the tracks that are silent in it.
  private mutating func render(_ count: Int, into buffer: inout MutableRawSpan) -> SilentTracks {
    for offset in stride(from: 0, to: count * format.bytesPerFrame, by: 4) {
      buffer.storeBytes(of: 0, toByteOffset: offset, as: UInt32.self)
    }
    let (queue, frame) = (first.queue, first.queue.first)
    var silent = first.silent(at: frame).mapped(to: first.tracks)
    for index in channels.indices {
      let start = queue.index(of: frame, channel: index)
      let samples = queue.contents
      for offset in 0..<count {
        buffer.storeBytes(
          of: samples[start + offset],
          toByteOffset: offset * format.bytesPerFrame + channels[index] * 4, as: Float.self)
      }
    }
    for index in others.indices {
      silent.formUnion(others[index].silent.mapped(to: others[index].device.tracks))
      others[index].render(count, into: &buffer, format)
    }
    first.drop(before: frame + count)
    return silent
  }
}
