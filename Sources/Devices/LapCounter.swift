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
  private var last: Standing?
  /// Where the stream stood when it seemed to be behind.
  private var suspected: FrameCount?

  /// Drift between the device's clock and the kernel's could pass for a lap after that many buffers.
  private static let mostBuffers: Int64 = 1_000

  init(rate: SampleRate, buffer: FrameCount) {
    self.rate = rate
    self.buffer = buffer
  }

  /// Forgets where the stream stood, when it starts anew.
  mutating func restart() { (last, suspected) = (nil, nil) }

  /// Frames missing between the place where the stream stood last and the one where it stands now.
  ///
  /// Nil where it seems to be behind and has to be looked at again before anything is read: a place that
  /// has not moved since may be an old one, and the kernel may yet find the buffers by itself.
  /// - Parameter asked: when it was asked for; a stamp from before is that of a stream that stood still.
  mutating func missing(
    at position: FrameCount, _ instant: Duration, asked: Duration = .zero
  ) -> FrameCount? {
    if instant < asked {
      restart()
      return 0
    }
    let laps = laps(to: position, instant)
    if laps > 0 {
      guard let suspected, position > suspected else {
        suspected = position
        return nil
      }
    }
    last = Standing(instant: instant, position: position)
    suspected = nil
    return FrameCount(laps * buffer.value)
  }

  private func laps(to position: FrameCount, _ instant: Duration) -> Int64 {
    guard let last else { return 0 }
    let passed = FrameCount(instant - last.instant, at: rate)
    guard passed > buffer, passed.value < buffer.value * Self.mostBuffers else { return 0 }
    let unseen = passed - (position - last.position)
    return max(0, (unseen.value + buffer.value / 2) / buffer.value)
  }
}
