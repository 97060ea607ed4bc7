package import Audio

/// The built-in playback device `test:null`: takes sound at the pace of a card and forgets it.
///
/// It runs on when nothing was written; what it then played as silence shows in `timing`.
package struct NullPlayback<Clock: PaceClock>: Sendable {
  /// What was negotiated.
  package let setup: StreamSetup
  private let clock: Clock
  private var buffer: VirtualBuffer

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
  package var format: StreamFormat { setup.format }
  package var capacity: FrameCount { setup.buffer }

  package mutating func start() { buffer.start(at: clock.now) }
  package mutating func stop() { buffer.stop() }
  package mutating func recover() -> Bool { true }

  package mutating func timing() -> StreamTiming {
    let now = clock.now
    return StreamTiming(instant: now, started: buffer.started, available: room(at: now))
  }

  /// Ready once a period, or what is left of the buffer, can be written.
  package mutating func wait(upTo limit: Duration, wake: Int32) -> Readiness {
    if buffer.started == nil, room(at: clock.now) >= buffer.period { return .ready }
    let played = buffer.position + buffer.period - capacity
    return clock.wait(until: buffer.instant(of: max(0, played)), upTo: limit, wake: wake)
  }

  package mutating func write(_ frames: RawSpan) -> Int {
    let room = room(at: clock.now)
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
