internal import Audio
internal import Linux

/// The positions of a device that exists only as arithmetic: the frames that the clock moved, and
/// those of the program.
///
/// It runs at `rate` from its start on and holds half a second, or the time that was requested;
/// nothing ever stops it.
struct VirtualBuffer {
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
