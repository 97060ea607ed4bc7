internal import Audio

/// Finds whole buffers that went by unseen.
///
/// The kernel reads a device's place as one within its buffer. When nobody looks for longer than a buffer
/// lasts, because a machine or its timer stood still, it cannot tell how often the device went round
/// meanwhile; the clock can.
struct LapCounter {
  private struct Standing {
    var instant: Duration
    var position: FrameCount
  }

  private let rate: SampleRate
  private let buffer: FrameCount
  /// Where the stream was least behind the clock, of late. The look before would not do: piece by piece
  /// it would forget how far the stream fell behind while the kernel's own time stood still.
  private var timely: Standing?

  /// A standing is of no use after that many buffers.
  private static let mostBuffers: Int64 = 1_000
  /// No device's clock is off from the kernel's by more than one frame in so many.
  private static let mostDrift: Int64 = 1_000
  /// Who is behind by more than that part of a buffer is late, however long none was in time.
  private static let leastLate: Int64 = 16

  init(rate: SampleRate, buffer: FrameCount) {
    self.rate = rate
    self.buffer = buffer
  }

  /// Forgets where the stream stood, when it starts anew.
  mutating func restart() { timely = nil }

  /// Frames missing between the place where the stream stood last and the one where it stands now.
  ///
  /// Nil where that cannot be told before the next look, because the place may be an old one: some drivers
  /// reckon it at the kernel's ticks, and those are late where a processor stands still.
  /// - Parameter ticked: when it was true at the earliest, while it may be as young as its stamp.
  mutating func missing(
    at position: FrameCount, _ instant: Duration, ticked: Duration
  ) -> FrameCount? {
    // A stream that does not run has the stamp of its last move.
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

  /// How often the stream went round unseen by then; nil where that cannot be told.
  func laps(at position: FrameCount, _ instant: Duration, ticked: Duration) -> Int64? {
    guard let timely else { return 0 }
    let passed = FrameCount(instant - timely.instant, at: rate)
    let unseen = passed - (position - timely.position)
    // One that went round lacks all of a buffer, and a little more where it is late, too; another clock
    // makes it lack some of all that passed.
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
