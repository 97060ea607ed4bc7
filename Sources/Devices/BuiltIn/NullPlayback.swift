package import Audio
package import Linux

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
