internal import Audio
internal import Linux
internal import Synchronization

/// The times of frames, from the last measurement of the capture thread.
final class Timeline: Sendable {
  let clock: any StreamClock
  let rate: SampleRate
  /// The time of frame 0 on the monotonic clock, in nanoseconds, according to the device's current
  /// pace.
  private let origin = Atomic<Int64>(.min)

  init(_ clock: any StreamClock, at rate: SampleRate) {
    self.clock = clock
    self.rate = rate
  }

  /// Sets the number of frames, delivered or lost, that have passed at `instant`. Only the thread
  /// that reads the device may call it.
  func pass(_ elapsed: Int, at instant: Duration) {
    let start = instant - FrameCount(elapsed).duration(at: rate)
    // Relaxed, because only the number is published.
    origin.store(start.wholeNanoseconds, ordering: .relaxed)
  }

  /// Forgets the pace of a closed device. The next device that delivers frames sets it again.
  func forget() { origin.store(.min, ordering: .relaxed) }

  /// The frame that is captured now, or nil before the first frame.
  var now: FrameCount? { frame(at: clock.monotonic) }

  /// Returns the frame that is captured at a time on the monotonic clock, or nil before the first
  /// frame.
  func frame(at instant: Duration) -> FrameCount? {
    start.map { FrameCount(instant - $0, at: rate) }
  }

  /// Returns the wall-clock time of a frame, or the current time before the first frame.
  func wallTime(of frame: FrameCount) -> WallTime {
    guard let start else { return clock.wallTime }
    return WallTime(sinceEpoch: wallTimeOfZero + start + frame.duration(at: rate))
  }

  /// The wall-clock time at zero on the monotonic clock, calculated from the current times of both
  /// clocks.
  private var wallTimeOfZero: Duration {
    var best: (width: Duration, zero: Duration)?
    // An interruption between the reads of the two clocks makes the result less exact. So the
    // result of the fastest of several attempts is used.
    for _ in 0..<4 {
      let before = clock.monotonic
      let wall = clock.wallTime.sinceEpoch
      let width = clock.monotonic - before
      if best.map({ width < $0.width }) ?? true { best = (width, wall - before - width / 2) }
      if width < .microseconds(5) { break }
    }
    return best?.zero ?? .zero
  }

  private var start: Duration? {
    let origin = origin.load(ordering: .relaxed)
    return origin == .min ? nil : .nanoseconds(origin)
  }
}
