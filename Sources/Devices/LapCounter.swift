internal import Audio

/// A detector of whole buffers that were overwritten without being read.
///
/// The kernel reports only a device's position within its buffer. If the machine or its timer
/// stops, the time between two reads of the position can be longer than the buffer lasts. Then the
/// position does not show how many times the device has filled the whole buffer. So this number of
/// laps is computed from the time that has passed.
struct LapCounter {
  private struct Standing {
    var instant: Duration
    var position: FrameCount
  }

  private let rate: SampleRate
  private let buffer: FrameCount
  /// The time and the position at a recent check: the check at which the stream was least behind
  /// the clock. The previous check is not enough: while the kernel's time stalls, the stream falls
  /// behind in steps that are too small for one check to notice.
  private var timely: Standing?

  /// The largest age of `timely`, in lengths of the buffer.
  private static let mostBuffers: Int64 = 1_000
  /// The largest drift between a device's clock and the kernel's clock: one frame in this many
  /// frames.
  private static let mostDrift: Int64 = 1_000
  /// The stream is late if it is behind the clock by more than the buffer's length divided by this
  /// number, even if the allowed drift is larger.
  private static let leastLate: Int64 = 16

  init(rate: SampleRate, buffer: FrameCount) {
    self.rate = rate
    self.buffer = buffer
  }

  /// Forgets the position of the stream. Called before the stream is started again.
  mutating func restart() { timely = nil }

  /// Returns the number of frames that were lost between the previous position of the stream and
  /// this position.
  ///
  /// Returns nil if the number is not certain yet, because the position may be outdated: some
  /// drivers compute the position at the kernel's ticks, which are late on a stalled processor.
  /// - Parameter ticked: the time of the kernel's last tick. The device had this position at some
  ///   time between `ticked` and `instant`.
  mutating func missing(
    at position: FrameCount, _ instant: Duration, ticked: Duration
  ) -> FrameCount? {
    // If the stream has stopped, `instant` is the time of its last progress.
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

  /// Returns the number of whole buffers that were overwritten since `timely`, or nil if this
  /// number is not certain.
  func laps(at position: FrameCount, _ instant: Duration, ticked: Duration) -> Int64? {
    guard let timely else { return 0 }
    let passed = FrameCount(instant - timely.instant, at: rate)
    let unseen = passed - (position - timely.position)
    // After a lap, the position is a whole buffer behind the clock, and slightly more if the stream
    // is also late. If the device's clock drifts, the position is also behind by a small part of
    // all frames since `timely`.
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
