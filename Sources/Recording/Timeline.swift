internal import Audio
internal import Linux
internal import Synchronization

/// The instants of frames, by the capture thread's last measurement.
final class Timeline: Sendable {
  let clock: any StreamClock
  let rate: SampleRate
  /// The instant of frame 0 by the monotonic clock, in nanoseconds, were the device's pace always
  /// that of now.
  private let origin = Atomic<Int64>(.min)

  init(_ clock: any StreamClock, at rate: SampleRate) {
    self.clock = clock
    self.rate = rate
  }

  /// Frames that have gone by at `instant`, delivered or lost. For the capture thread alone.
  func pass(_ elapsed: Int, at instant: Duration) {
    let start = instant - FrameCount(elapsed).duration(at: rate)
    let (seconds, rest) = start.components
    // Releases nothing but the number.
    origin.store(seconds * 1_000_000_000 + rest / 1_000_000_000, ordering: .relaxed)
  }

  /// The frame that is captured now; nil before there is one.
  var now: FrameCount? { start.map { FrameCount(clock.monotonic - $0, at: rate) } }

  /// Returns the wall-clock time of a frame; the present time before there is a first frame.
  func wallTime(of frame: FrameCount) -> WallTime {
    guard let start else { return clock.wallTime }
    return WallTime(sinceEpoch: wallTimeOfZero + start + frame.duration(at: rate))
  }

  /// The wall-clock time at which the monotonic clock was at zero, or would have been at its pace
  /// of now.
  private var wallTimeOfZero: Duration {
    var best: (width: Duration, zero: Duration)?
    // An interruption between the two clocks makes them seem further apart.
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
