internal import Audio
internal import RealTime
internal import Synchronization

/// What the capture thread counts: frames delivered, frames lost, and where the lost ones were.
///
/// A stretch of losses is told to the writer directly before the frames that follow it, so every gap in
/// the queue is followed; what is lost at the very end goes with the thread's last word.
struct CaptureBooks: ~Copyable {
  private(set) var captured = 0
  private(set) var lost = 0
  /// Lost frames that the writer has not been told of, all at `captured`.
  private var pending: GapRecord?
  private var gaps: SampleRing.Writer
  private let link: CaptureLink
  private let clock: any CaptureClock
  private let rate: SampleRate
  /// When the device was last found empty; nil before its first frame, when nothing can be missing.
  private var emptied: Instant?

  /// An instant, and the frames that had gone by until then.
  private struct Instant {
    var bootTime: Duration
    var slept: Duration
    var elapsed: Int
  }

  init(
    _ gaps: consuming SampleRing.Writer, link: CaptureLink, clock: any CaptureClock,
    rate: SampleRate
  ) {
    self.gaps = gaps
    self.link = link
    self.clock = clock
    self.rate = rate
  }

  /// Frames since the beginning, delivered or not.
  var elapsed: Int { captured + lost }

  /// What no frame has followed yet.
  var lastGap: GapRecord? { pending }

  /// Counts frames that are in the ring.
  mutating func capture(_ count: Int) {
    captured += count
    // Releases nothing but the number: the frames themselves are released by the ring.
    link.captured.store(captured, ordering: .relaxed)
  }

  /// Counts frames that are nowhere.
  mutating func lose(_ count: Int, _ cause: Gap.Cause) {
    guard count > 0 else { return }
    let begun = pending ?? GapRecord(position: captured, length: 0, cause: cause.number)
    // What begins like an overrun may turn out to be a device that went.
    let cause = cause == .disconnected ? cause.number : begun.cause
    pending = GapRecord(position: begun.position, length: begun.length + count, cause: cause)
    lost += count
    link.lost.store(lost, ordering: .relaxed)
  }

  /// Tells the writer of what was lost; false where it cannot be told yet, and then nothing may follow.
  mutating func tell() -> Bool {
    guard let record = pending else { return true }
    guard gaps.put(record) else { return false }
    pending = nil
    return true
  }
}

extension CaptureBooks {
  /// The device brought something and is empty: where it cannot count what it lost, the clock can.
  mutating func balance(capacity: FrameCount, countsLostFrames: Bool) {
    if let emptied {
      let now = instant
      if now.slept - emptied.slept > .milliseconds(100) {
        loseMissing(.suspended)
      } else if !countsLostFrames
        && FrameCount(now.bootTime - emptied.bootTime, at: rate) > capacity
      {
        loseMissing(.stalled)
      }
    }
    restart()
  }

  /// Counts what should have come since the device was last empty and did not; again and again makes no
  /// difference, since what is counted already is not missing.
  mutating func loseMissing(_ cause: Gap.Cause) {
    guard let emptied else { return }
    let now = instant
    let passed = FrameCount(now.bootTime - emptied.bootTime, at: rate)
    lose(Int(passed.value) - (elapsed - emptied.elapsed), cause)
  }

  /// Frames come again after a silence: what the device does not hold of what should have come is lost.
  mutating func resume(holding held: FrameCount, _ cause: Gap.Cause) {
    guard let emptied else { return }
    let passed = FrameCount(instant.bootTime - emptied.bootTime, at: rate)
    lose(Int(passed.value) - (elapsed - emptied.elapsed) - Int(held.value), cause)
    self.emptied = instant
    self.emptied?.elapsed += Int(held.value)
  }

  /// From now on frames come again.
  mutating func restart() {
    if elapsed > 0 { emptied = instant }
  }

  private var instant: Instant {
    let bootTime = clock.bootTime
    return Instant(bootTime: bootTime, slept: bootTime - clock.monotonic, elapsed: elapsed)
  }
}
