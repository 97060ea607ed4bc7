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
