package import Audio
package import Linux

/// A built-in capture device: paced by a clock like a card, and like a card it drops frames that
/// are not read in time.
package struct WaveCapture<Clock: StreamClock>: Sendable {
  /// The setup that was negotiated.
  package let setup: StreamSetup
  private let wave: Waveform
  private let clock: Clock
  private var buffer: VirtualBuffer

  /// Fulfils every wish; throws only for a tone at half the rate or above.
  package init(
    _ wave: Waveform, named name: String, _ request: DeviceRequest = .init(), clock: Clock
  ) throws(DeviceError) {
    let format = StreamFormat(request)
    if case .tone(let hertz) = wave, 2 * hertz >= format.rate.hertz {
      throw .toneTooHigh(hertz: hertz, rate: format.rate)
    }
    buffer = VirtualBuffer(rate: format.rate, period: request.period)
    setup = StreamSetup(
      device: name, format: format, period: buffer.period, buffer: buffer.capacity,
      isKernelHardware: false)
    self.wave = wave
    self.clock = clock
  }
}

extension WaveCapture: FrameSource {
  /// The format of the frames that `read` delivers.
  package var format: StreamFormat { setup.format }
  /// The frames that the virtual buffer holds.
  package var capacity: FrameCount { setup.buffer }
  /// The frames between two wakes.
  package var period: FrameCount { setup.period }
  /// Always true: losses are computed from the clock.
  package var countsLostFrames: Bool { true }

  /// Starts to deliver from frame 0 at the clock's present instant.
  package mutating func start() { buffer.start(at: clock.monotonic) }
  /// Stops, and forgets the frames that were not read.
  package mutating func stop() { buffer.stop() }
  /// Always true: nothing ever stops the device.
  package mutating func recover() -> Bool { true }

  /// The position of the stream, stamped with the instant of its last whole frame.
  package mutating func timing() -> StreamTiming {
    let now = clock.monotonic
    // Stamped by its last whole frame, as a card is: else a frame's time would be up to one frame
    // late.
    let instant = buffer.instant(of: buffer.elapsed(at: now)) ?? now
    return StreamTiming(instant: instant, started: buffer.started, available: available(at: now))
  }

  /// Waits until a period is there, `wake` becomes readable or `limit` has passed.
  package mutating func wait(upTo limit: Duration, wake: Int32) -> Readiness {
    clock.wait(
      until: buffer.instant(of: buffer.position + buffer.period), upTo: limit, wake: wake)
  }

  /// Fills `bytes` with the frames that are due and counts those that were not read in time.
  package mutating func read(into bytes: inout MutableRawSpan) -> FramesRead {
    let available = available(at: clock.monotonic)
    let lost = max(0, available - capacity)
    buffer.advance(by: lost)
    let room = FrameCount(bytes.byteCount / format.bytesPerFrame)
    let count = Int(min(available - lost, room).value)
    wave.fill(&bytes, from: buffer.position, frames: count, format)
    buffer.advance(by: FrameCount(count))
    return FramesRead(count: count, lost: lost)
  }

  private func available(at instant: Duration) -> FrameCount {
    buffer.elapsed(at: instant) - buffer.position
  }
}

/// The built-in playback device `test:null`: takes frames at the pace of a card and drops them.
///
/// It keeps running when nothing was written; the silence that it then played shows in `timing`.
package struct NullPlayback<Clock: StreamClock>: Sendable {
  /// The setup that was negotiated.
  package let setup: StreamSetup
  private let clock: Clock
  private var buffer: VirtualBuffer

  /// Fulfils every wish of `request`; `name` is the one in `setup` and in messages.
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
  /// The format of the frames that `write` takes.
  package var format: StreamFormat { setup.format }
  /// The frames that the virtual buffer holds.
  package var capacity: FrameCount { setup.buffer }

  /// Starts to play at the clock's present instant.
  package mutating func start() { buffer.start(at: clock.monotonic) }
  /// Stops and empties the virtual buffer.
  package mutating func stop() { buffer.stop() }
  /// Always true: nothing ever stops the device.
  package mutating func recover() -> Bool { true }

  /// The position of the stream now; more room than `capacity` is silence that was played.
  package mutating func timing() -> StreamTiming {
    let now = clock.monotonic
    return StreamTiming(instant: now, started: buffer.started, available: room(at: now))
  }

  /// Ready once a period, or the rest of the buffer, can be written.
  package mutating func wait(upTo limit: Duration, wake: Int32) -> Readiness {
    if buffer.started == nil, room(at: clock.monotonic) >= buffer.period { return .ready }
    let played = buffer.position + buffer.period - capacity
    return clock.wait(until: buffer.instant(of: max(0, played)), upTo: limit, wake: wake)
  }

  /// Takes whole frames as far as there is room and returns their number.
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

/// The positions of a device that exists only as arithmetic: the frames that the clock moved, and
/// those of the program.
///
/// It runs at `rate` from its start on and holds half a second, or the time that was requested;
/// nothing ever stops it.
private struct VirtualBuffer {
  let rate: SampleRate
  let capacity: FrameCount
  /// The frames between two wakes.
  let period: FrameCount
  private(set) var started: Duration?
  /// The frame that the program reads or writes next.
  private(set) var position: FrameCount = 0

  init(rate: SampleRate, period: Duration?, buffer: Duration? = nil) {
    self.rate = rate
    capacity = max(2, FrameCount(buffer ?? .milliseconds(500), at: rate))
    let wished = FrameCount(period ?? .milliseconds(100), at: rate)
    self.period = min(max(1, wished), FrameCount(capacity.value / 2))
  }

  /// Starts the clock; frames that were written before stay written.
  mutating func start(at instant: Duration) { started = instant }

  mutating func stop() {
    started = nil
    position = 0
  }

  /// The frames that the device has moved: the time since its start, rounded down.
  func elapsed(at instant: Duration) -> FrameCount {
    guard let started else { return 0 }
    return FrameCount(max(.zero, instant - started), at: rate)
  }

  /// The instant at which the device will have moved `frames`.
  func instant(of frames: FrameCount) -> Duration? {
    // One nanosecond more, because the time of a frame rounds down and must not come before it.
    started.map { $0 + frames.duration(at: rate) + .nanoseconds(1) }
  }

  mutating func advance(by frames: FrameCount) { position += frames }
}

extension StreamFormat {
  /// The wished format, for a device that has every one.
  init(_ request: DeviceRequest) {
    self.init(
      rate: request.rate.value, channels: request.channels.value, sample: request.sample.value)
  }
}

extension StreamClock {
  /// Waits for an instant, for a wake and no longer than `limit`.
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
