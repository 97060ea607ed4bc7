internal import Audio

/// Finds whole buffers that were overwritten without being read.
///
/// The kernel reports a device's position within its buffer only. If it is not read for longer than
/// a buffer lasts, because a machine or its timer stood still, the position does not show the
/// number of laps that the device made meanwhile; the clock does.
struct LapCounter {
  private struct Standing {
    var instant: Duration
    var position: FrameCount
  }

  private let rate: SampleRate
  private let buffer: FrameCount
  /// The recent point at which the stream was least behind the clock. The previous look would not
  /// do: step by step it would forget the stream's lag behind the clock while the kernel's own time
  /// stood still.
  private var timely: Standing?

  /// A point is too old after that many buffers.
  private static let mostBuffers: Int64 = 1_000
  /// No device's clock is off from the kernel's by more than one frame in so many.
  private static let mostDrift: Int64 = 1_000
  /// A stream that is behind by more than that part of a buffer is late, even if none was in time
  /// for long.
  private static let leastLate: Int64 = 16

  init(rate: SampleRate, buffer: FrameCount) {
    self.rate = rate
    self.buffer = buffer
  }

  /// Forgets the position of the stream, for a fresh start.
  mutating func restart() { timely = nil }

  /// The frames missing between the last position of the stream and this one.
  ///
  /// Nil while that is not certain before the next look, because the position may be an old one:
  /// some drivers compute it at the kernel's ticks, and those are late on a processor that stands
  /// still.
  /// - Parameter ticked: the earliest instant at which the position was true; it may be as recent
  ///   as its stamp.
  mutating func missing(
    at position: FrameCount, _ instant: Duration, ticked: Duration
  ) -> FrameCount? {
    // A stopped stream has the stamp of its last move.
    if instant < ticked { return 0 }
    let now = Standing(instant: instant, position: position)
    guard let timely else {
      if FrameCount(instant - ticked, at: rate).value > buffer.value / 4 { return nil }
      self.timely = now
      return 0
    }
    guard let laps = laps(at: position, instant, ticked: ticked) else { return nil }
    let lost = FrameCount(laps * buffer.value)
    let base = Standing(instant: timely.instant, position: timely.position - lost)
    self.timely = isTimely(now, beside: base) ? now : base
    return lost
  }

  /// The laps that the stream made unread since `timely`; nil while they are not certain.
  func laps(at position: FrameCount, _ instant: Duration, ticked: Duration) -> Int64? {
    guard let timely else { return 0 }
    let passed = FrameCount(instant - timely.instant, at: rate)
    let unseen = passed - (position - timely.position)
    // A stream that made a lap lacks all of a buffer, and a little more where it is late, too; a
    // device clock that drifts makes it lack some of all that passed.
    let quarter = buffer.value / 4
    if unseen.value - passed.value / Self.mostDrift < buffer.value - quarter { return 0 }
    let laps = (unseen.value + quarter) / buffer.value
    let certain = unseen - FrameCount(max(.zero, instant - ticked), at: rate)
    return certain.value >= laps * buffer.value - 2 * quarter ? laps : nil
  }

  private func isTimely(_ now: Standing, beside base: Standing) -> Bool {
    let passed = FrameCount(now.instant - base.instant, at: rate)
    let unseen = passed - (now.position - base.position)
    if passed.value >= buffer.value * Self.mostBuffers { return true }
    return unseen.value <= min(passed.value / Self.mostDrift, buffer.value / Self.leastLate)
  }
}
