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

  /// Drift between the device's clock and the kernel's could pass for a lap after that many buffers.
  private static let mostBuffers: Int64 = 1_000

  init(rate: SampleRate, buffer: FrameCount) {
    self.rate = rate
    self.buffer = buffer
  }

  /// Forgets where the stream stood, when it starts anew.
  mutating func restart() { last = nil }

  /// Frames missing between the place where the stream stood last and the one where it stands now.
  mutating func missing(at position: FrameCount, _ instant: Duration) -> FrameCount {
    defer { last = Standing(instant: instant, position: position) }
    guard let last else { return 0 }
    let passed = FrameCount(instant - last.instant, at: rate)
    guard passed > buffer, passed.value < buffer.value * Self.mostBuffers else { return 0 }
    let unseen = passed - (position - last.position)
    let laps = (unseen.value + buffer.value / 2) / buffer.value
    return FrameCount(max(0, laps) * buffer.value)
  }
}
