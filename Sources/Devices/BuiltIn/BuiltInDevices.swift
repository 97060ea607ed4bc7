package import Audio
package import Linux

/// A built-in capture device, or several built-in devices whose channels are side by side in each
/// frame. It is paced by a clock. Like a card, it drops frames that are not read in time.
package struct WaveCapture<Clock: StreamClock>: Sendable {
  /// The negotiated setup.
  package let setup: StreamSetup
  private let groups: [WaveGroup]
  private let clock: Clock
  private var buffer: VirtualBuffer

  /// Accepts every request, except for a tone with a frequency of half the rate or more. The clock
  /// error is in parts per million.
  package init(
    _ wave: Waveform, clockError: Int = 0, named name: String, _ request: DeviceRequest = .init(),
    clock: Clock
  ) throws(DeviceError) {
    let group = WaveGroup(wave: wave, channels: 0..<request.channels.value.value)
    try self.init([group], clockError, named: name, StreamFormat(request), request, clock: clock)
  }

  /// Captures the devices of several tracks together. All of them must be built in, and have the
  /// same clock error.
  init(_ tracks: [Track], _ request: DeviceRequest, clock: Clock) throws(DeviceError) {
    var clockError = 0
    let counts = tracks.map { $0.channels?.count ?? request.channels.value.value }
    var groups: [WaveGroup] = []
    for (track, channels) in zip(tracks, counts.consecutiveRanges) {
      guard case .wave(let wave, let error) = try DeviceName(track.device, for: .capture) else {
        throw .unknownBuiltIn(name: track.device, direction: .capture)
      }
      groups.append(WaveGroup(wave: wave, channels: channels))
      clockError = error
    }
    var format = StreamFormat(request)
    format.channels = ChannelCount(counts.reduce(0, +)) ?? format.channels
    try self.init(groups, clockError, named: tracks.devices, format, request, clock: clock)
  }

  private init(
    _ groups: [WaveGroup], _ clockError: Int, named name: String, _ format: StreamFormat,
    _ request: DeviceRequest, clock: Clock
  ) throws(DeviceError) {
    for case .tone(let hertz) in groups.map(\.wave) where 2 * hertz >= format.rate.hertz {
      throw .toneTooHigh(hertz: hertz, rate: format.rate)
    }
    buffer = VirtualBuffer(
      rate: format.rate, clockError: clockError, period: request.period)
    setup = StreamSetup(
      device: name, format: format, period: buffer.period, buffer: buffer.capacity,
      isKernelHardware: false, groups: groups.map(\.channels))
    self.groups = groups
    self.clock = clock
  }
}

/// A waveform and its channels in a frame.
private struct WaveGroup: Hashable, Sendable {
  let wave: Waveform
  let channels: Range<Int>
}

extension WaveCapture: FrameSource {
  /// The format of the frames from `read`.
  package var format: StreamFormat { setup.format }
  /// The size of the virtual buffer in frames.
  package var capacity: FrameCount { setup.buffer }
  /// The number of frames between two wakes.
  package var period: FrameCount { setup.period }
  /// Always true: losses are computed from the clock.
  package var countsLostFrames: Bool { true }

  /// Starts delivery at frame 0 and the current time of the clock.
  package mutating func start() { buffer.start(at: clock.monotonic) }
  /// Stops the device and drops the unread frames.
  package mutating func stop() { buffer.stop() }
  /// Always true: the device never stops by itself.
  package mutating func recover() -> Bool { true }

  /// Returns the position of the stream, with the time of its last whole frame.
  package mutating func timing() -> StreamTiming {
    let now = clock.monotonic
    // The timestamp is the time of the last whole frame, as on a card. Otherwise the time of a
    // frame would be up to one frame late.
    let instant = buffer.instant(of: buffer.elapsed(at: now)) ?? now
    return StreamTiming(instant: instant, available: available(at: now))
  }

  /// Waits until a period is available, `wake` becomes readable or `limit` has passed.
  package mutating func wait(upTo limit: Duration, wake: Int32) -> Readiness {
    clock.wait(
      until: buffer.instant(of: buffer.position + buffer.period), upTo: limit, wake: wake)
  }

  /// Fills `bytes` with the available frames, and counts the frames that were not read in time.
  package mutating func read(into bytes: inout MutableRawSpan) -> FramesRead {
    let available = available(at: clock.monotonic)
    let lost = max(0, available - capacity)
    buffer.advance(by: lost)
    let room = FrameCount(bytes.byteCount / format.bytesPerFrame)
    let count = Int(min(available - lost, room).value)
    for index in 0..<groups.count {
      groups[index].wave.fill(
        &bytes, from: buffer.position, frames: count, groups[index].channels, of: format)
    }
    buffer.advance(by: FrameCount(count))
    return FramesRead(count: count, lost: lost)
  }

  private func available(at instant: Duration) -> FrameCount {
    buffer.elapsed(at: instant) - buffer.position
  }
}

/// The built-in playback device `test:null`. It takes frames at the pace of a card and drops them.
///
/// It continues to run without written frames. `timing` then reports the silence that it played.
package struct NullPlayback<Clock: StreamClock>: Sendable {
  /// The negotiated setup.
  package let setup: StreamSetup
  private let clock: Clock
  private var buffer: VirtualBuffer

  /// Accepts every request. `name` appears in `setup` and in messages.
  package init(named name: String, _ request: DeviceRequest = .init(), clock: Clock) {
    let format = StreamFormat(request)
    buffer = VirtualBuffer(
      rate: format.rate, period: request.period, buffer: request.buffer)
    setup = StreamSetup(
      device: name, format: format, period: buffer.period, buffer: buffer.capacity,
      isKernelHardware: false)
    self.clock = clock
  }
}

extension NullPlayback: FrameSink {
  /// The format of the frames for `write`.
  package var format: StreamFormat { setup.format }
  /// The size of the virtual buffer in frames.
  package var capacity: FrameCount { setup.buffer }

  /// Starts playback at the current time of the clock.
  package mutating func start() { buffer.start(at: clock.monotonic) }
  /// Stops and empties the virtual buffer.
  package mutating func stop() { buffer.stop() }
  /// Always true: the device never stops by itself.
  package mutating func recover() -> Bool { true }

  /// Returns the current position of the stream. If the free space is larger than `capacity`, the
  /// difference is silence that was played.
  package mutating func timing() -> StreamTiming {
    let now = clock.monotonic
    return StreamTiming(instant: now, available: room(at: now))
  }

  /// Waits until a period can be written, `wake` becomes readable or `limit` has passed.
  package mutating func wait(upTo limit: Duration, wake: Int32) -> Readiness {
    if buffer.started == nil, room(at: clock.monotonic) >= buffer.period { return .ready }
    let played = buffer.position + buffer.period - capacity
    return clock.wait(until: buffer.instant(of: max(0, played)), upTo: limit, wake: wake)
  }

  /// Takes as many whole frames as fit and returns their number.
  package mutating func write(_ frames: RawSpan) -> Int {
    let room = room(at: clock.monotonic)
    buffer.advance(by: max(0, room - capacity))
    let offered = FrameCount(frames.byteCount / format.bytesPerFrame)
    let taken = max(0, min(offered, min(room, capacity)))
    buffer.advance(by: taken)
    return Int(taken.value)
  }

  private func room(at instant: Duration) -> FrameCount {
    capacity - (buffer.position - buffer.elapsed(at: instant))
  }
}

/// The positions of a simulated device: how many frames the device has captured or played (moved)
/// according to its clock, and how many frames the program has read or written.
///
/// After its start, the device runs at `rate`, with the error of its clock. Its buffer holds half a
/// second, or the requested time. The device never stops by itself.
private struct VirtualBuffer {
  let rate: SampleRate
  /// The number of frames that the device moves in the time of a million frames at `rate`.
  private let pace: Int128
  let capacity: FrameCount
  /// The number of frames between two wakes.
  let period: FrameCount
  private(set) var started: Duration?
  /// The next frame that the program reads or writes.
  private(set) var position: FrameCount = 0

  init(rate: SampleRate, clockError: Int = 0, period: Duration?, buffer: Duration? = nil) {
    self.rate = rate
    pace = Self.million + Int128(clockError)
    capacity = max(2, FrameCount(buffer ?? .milliseconds(500), at: rate))
    let wished = FrameCount(period ?? .milliseconds(100), at: rate)
    self.period = min(max(1, wished), FrameCount(capacity.value / 2))
  }

  private static var million: Int128 { 1_000_000 }

  /// Starts the clock. Frames that were written before the start remain.
  mutating func start(at instant: Duration) { started = instant }

  mutating func stop() {
    started = nil
    position = 0
  }

  /// Returns the number of frames that the device has moved since its start, rounded down.
  func elapsed(at instant: Duration) -> FrameCount {
    guard let started else { return 0 }
    let passed = max(.zero, instant - started).attoseconds
    return FrameCount(Duration(attoseconds: passed * pace / Self.million), at: rate)
  }

  /// Returns the time at which the device will have moved `frames`.
  func instant(of frames: FrameCount) -> Duration? {
    // The time is rounded down. One nanosecond is added, so that the device has moved the frames at
    // the returned time.
    started.map { started in
      let passed = frames.duration(at: rate).attoseconds * Self.million / pace
      return started + Duration(attoseconds: passed) + .nanoseconds(1)
    }
  }

  mutating func advance(by frames: FrameCount) { position += frames }
}

extension StreamFormat {
  /// The requested format, for a device that supports every format.
  init(_ request: DeviceRequest) {
    self.init(
      rate: request.rate.value, channels: request.channels.value, sample: request.sample.value)
  }
}

extension StreamClock {
  /// Waits until `instant`, until `wake` becomes readable, or until `limit` has passed.
  func wait(until instant: Duration?, upTo limit: Duration, wake: Int32) -> Readiness {
    let deadline = monotonic + limit
    while true {
      let now = monotonic
      if let instant, instant <= now { return .ready }
      if deadline <= now { return .timedOut }
      if wait(upTo: min(instant ?? deadline, deadline) - now, wake: wake) { return .woken }
    }
  }
}
