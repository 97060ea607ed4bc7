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
  /// When and where it was last seen to move.
  private var moved: Standing?
  /// Where it stood when it seemed to have gone round, and how many frames were unseen then.
  private var suspected: (position: FrameCount, unseen: FrameCount)?

  /// Drift between the device's clock and the kernel's could pass for a lap after that many buffers.
  private static let mostBuffers: Int64 = 1_000
  /// No device's clock is off by more than one frame in so many.
  private static let mostDrift: Int64 = 100

  init(rate: SampleRate, buffer: FrameCount) {
    self.rate = rate
    self.buffer = buffer
  }

  /// Forgets where the stream stood, when it starts anew.
  mutating func restart() { (timely, moved, suspected) = (nil, nil, nil) }

  /// Frames missing between the place where the stream stood last and the one where it stands now.
  ///
  /// Nil where it seems to be behind and has to be looked at again before anything is read: a place that
  /// has not moved since may be an old one, and one that catches up finds the buffers by itself.
  /// - Parameter asked: when it was asked for; a stamp from before says nothing of now.
  mutating func missing(
    at position: FrameCount, _ instant: Duration, asked: Duration = .zero
  ) -> FrameCount? {
    if instant < asked { return 0 }
    let now = Standing(instant: instant, position: position)
    let passed = FrameCount(instant - (timely?.instant ?? instant), at: rate)
    let unseen = passed - (position - (timely?.position ?? position))
    let laps = laps(of: unseen, in: passed, at: instant)
    if laps > 0 && !isConfirmed(unseen, at: position) {
      suspected = (position, unseen)
      return nil
    }
    suspected = nil
    if position != moved?.position { moved = now }
    let isStale = passed.value >= buffer.value * Self.mostBuffers
    if laps > 0 || isStale || unseen.value <= passed.value / Self.mostDrift { timely = now }
    return FrameCount(laps * buffer.value)
  }

  /// A place that was seen to move a moment ago is only late: nothing goes round in less than a buffer.
  private func laps(of unseen: FrameCount, in passed: FrameCount, at instant: Duration) -> Int64 {
    guard let moved, passed > buffer, passed.value < buffer.value * Self.mostBuffers else {
      return 0
    }
    let still = FrameCount(instant - moved.instant, at: rate)
    guard still.value > buffer.value / 2 else { return 0 }
    return max(0, (unseen.value + buffer.value / 2) / buffer.value)
  }

  /// Whether it goes on as far behind as it was.
  private func isConfirmed(_ unseen: FrameCount, at position: FrameCount) -> Bool {
    guard let suspected, position > suspected.position else { return false }
    return abs((unseen - suspected.unseen).value) <= buffer.value / 4
  }
}
