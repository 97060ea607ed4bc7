internal import Audio
internal import Linux
internal import RealTime
internal import Synchronization

/// The counts of the capture thread: frames delivered, frames lost, and the places of the losses.
///
/// A stretch of losses is reported to the writer directly before the frames that follow it, so
/// every gap in the queue is followed; a loss at the very end goes with the thread's report.
struct CaptureCounts: ~Copyable {
  private(set) var captured = 0
  private(set) var lost = 0
  /// Lost frames that are not reported to the writer yet, all at `captured`.
  private var pending: GapRecord?
  private var gaps: SampleRing.Writer
  private let state: CaptureState
  private let clock: any StreamClock
  private let rate: SampleRate
  /// The device's pace; nil before its first frame, when nothing can be missing.
  private var pace: CapturePace?

  init(
    _ gaps: consuming SampleRing.Writer, state: CaptureState, clock: any StreamClock,
    rate: SampleRate
  ) {
    self.gaps = gaps
    self.state = state
    self.clock = clock
    self.rate = rate
  }

  /// Frames since the beginning, delivered or not.
  var elapsed: Int { captured + lost }

  /// The loss that no frame has followed yet.
  var lastGap: GapRecord? { pending }

  /// Counts frames that are in the ring.
  mutating func capture(_ count: Int) {
    captured += count
    // Releases nothing but the number: the frames themselves are released by the ring.
    state.captured.store(captured, ordering: .relaxed)
  }

  /// Counts lost frames, at the present position.
  mutating func lose(_ count: Int, _ cause: Gap.Cause) {
    guard count > 0 else { return }
    let isNew = pending == nil
    let begun = pending ?? GapRecord(position: captured, length: 0, cause: cause.number)
    // A loss that begins like an overrun may turn out to be a device that went.
    let cause = cause == .disconnected ? cause.number : begun.cause
    pending = GapRecord(position: begun.position, length: begun.length + count, cause: cause)
    lost += count
    state.lost.store(lost, ordering: .relaxed)
    if isNew { state.loss.signal() }
  }

  /// Reports the pending loss to the writer; false where its queue is full, and then nothing may
  /// follow.
  mutating func reportLoss() -> Bool {
    guard let record = pending else { return true }
    guard gaps.put(record) else { return false }
    pending = nil
    return true
  }
}

extension CaptureCounts {
  /// Returns the device's progress at an instant of the monotonic clock, with `ahead` frames
  /// captured and not read.
  func progress(ahead: Int, at instant: Duration) -> CapturePace.Look {
    let slept = clock.slept
    return CapturePace.Look(bootTime: instant + slept, slept: slept, ahead: ahead)
  }

  /// Compares the counts with the clock, once the device has delivered something and is empty; the
  /// clock finds the losses of a device that cannot count them.
  ///
  /// - Parameter claimed: frames that the device says are on their way, more than it can hold too.
  mutating func balance(
    _ look: CapturePace.Look, claimed: Int, capacity: FrameCount, tolerance: FrameCount,
    countsLostFrames: Bool
  ) {
    guard var pace else { return restart(look) }
    let isLate = FrameCount(look.bootTime - pace.looked, at: rate) > capacity
    if pace.hasSlept(until: look) {
      lose(pace.missing(at: look, after: elapsed), .suspended)
      restart(look)
    } else if countsLostFrames {
      // The next read, or the recovery, counts the frames that were lost meanwhile.
      isLate ? self.pace?.look(look) : restart(look)
    } else if isLate {
      settle(look, claimed: claimed, tolerance: Int(tolerance.value))
    } else {
      // A server that skipped a cycle reports nothing and continues: only frames that stay missing
      // are lost.
      let missing = pace.follow(look, after: elapsed, tolerating: Int(tolerance.value))
      self.pace = pace
      lose(missing, .overrun)
    }
  }

  /// Counts the frames that a stopped program has missed. A server may have kept more of it than
  /// the device holds; what it only claims to have is lost once it stays missing.
  private mutating func settle(_ look: CapturePace.Look, claimed: Int, tolerance: Int) {
    guard let missing = pace?.missing(at: look, after: elapsed) else { return }
    let claimed = max(0, claimed - look.ahead)
    guard claimed > 0 else {
      lose(missing, .stalled)
      return restart(look)
    }
    // A claim is as uncertain as the server.
    if missing - claimed > tolerance { lose(missing - claimed, .stalled) }
    pace?.look(look)
  }

  /// Counts the frames that are due by now and did not come. Repeating it is harmless, since frames
  /// that are counted already are not missing.
  mutating func loseMissing(_ cause: Gap.Cause) {
    guard let pace else { return }
    lose(pace.missing(at: progress(ahead: 0, at: clock.monotonic), after: elapsed), cause)
  }

  /// Counts the loss after a silence of the device: frames that were captured and are not on their
  /// way.
  mutating func resume(_ look: CapturePace.Look, _ cause: Gap.Cause) {
    guard let pace else { return }
    regain(look)
    lose(pace.missing(at: look, after: elapsed), cause)
    self.pace?.look(look)
  }

  /// Forgets the pace of a device that is closed on purpose: what it does not hear is not missing.
  mutating func rest() { pace = nil }

  /// Follows the device's pace anew from this instant on, at which frames come again.
  mutating func restart() { restart(progress(ahead: 0, at: clock.monotonic)) }

  private mutating func restart(_ look: CapturePace.Look) {
    if elapsed > 0 { pace = CapturePace(look, after: elapsed, at: rate) }
  }

  /// Takes back a loss of frames that arrive after all, as from a server that hung while its device
  /// was opened anew.
  mutating func regain(_ look: CapturePace.Look) {
    guard let pace, let record = pending else { return }
    let count = min(-pace.missing(at: look, after: elapsed), record.length)
    guard count > 0 else { return }
    lost -= count
    state.lost.store(lost, ordering: .relaxed)
    let left = record.length - count
    pending =
      left == 0
      ? nil : GapRecord(position: record.position, length: left, cause: record.cause)
  }
}

/// The pace of a device against the clock: the instant of its frame 0, were its pace always that of
/// now.
struct CapturePace {
  /// The state of a device at one instant.
  struct Look {
    /// The instant, with the time that the machine slept.
    var bootTime: Duration
    /// The time that the machine had slept until then.
    var slept: Duration
    /// Frames that were captured and not read.
    var ahead: Int
  }

  private let rate: SampleRate
  private var origin: Duration
  private(set) var looked: Duration
  private var slept: Duration
  /// The least number of frames missing since a moment; nil while none are.
  private var shortfall: (since: Duration, least: Int)?

  /// The divisor of the largest drift: no crystal is off by a ten-thousandth.
  private static let drift: Int128 = 10_000
  /// The longest delay; frames later than this do not come any more.
  private static let patience = Duration.seconds(1)

  /// A device that had brought `elapsed` frames.
  init(_ look: Look, after elapsed: Int, at rate: SampleRate) {
    self.rate = rate
    origin = look.bootTime - FrameCount(elapsed + look.ahead).duration(at: rate)
    (looked, slept) = (look.bootTime, look.slept)
  }

  private static func mostDrift(in time: Duration) -> Duration {
    Duration(attoseconds: time.attoseconds / drift)
  }

  /// Half a frame: what is added before rounding down, to round to the nearest.
  private static func half(at rate: SampleRate) -> Duration {
    Duration(attoseconds: FrameCount(1).duration(at: rate).attoseconds / 2)
  }

  /// True if the machine slept since the last look.
  func hasSlept(until look: Look) -> Bool { look.slept - slept > .milliseconds(100) }

  /// Returns the number of frames that are due and did not come; negative if more came than the
  /// clock allows.
  func missing(at look: Look, after elapsed: Int) -> Int {
    let late = look.bootTime - origin - FrameCount(elapsed + look.ahead).duration(at: rate)
    return Int(FrameCount(late + Self.half(at: rate), at: rate).value)
  }

  /// Starts from this look, after a loss was counted: only its moment matters.
  mutating func look(_ look: Look) {
    (looked, slept) = (look.bootTime, look.slept)
    shortfall = nil
  }

  /// Follows a device that drifts against the clock; returns the frames missing beyond the
  /// tolerance for longer than `patience`.
  mutating func follow(_ look: Look, after elapsed: Int, tolerating tolerance: Int) -> Int {
    let missing = missing(at: look, after: elapsed)
    let late = FrameCount(missing).duration(at: rate)
    // Frames that come early were not late before.
    origin += missing < 0 ? late : min(late, Self.mostDrift(in: look.bootTime - looked))
    (looked, slept) = (look.bootTime, look.slept)
    guard missing > tolerance else {
      shortfall = nil
      return 0
    }
    let since = shortfall?.since ?? look.bootTime
    let least = min(shortfall?.least ?? missing, missing)
    let isOver = look.bootTime - since >= Self.patience
    shortfall = isOver ? nil : (since, least)
    return isOver ? least : 0
  }
}

extension StreamTiming {
  /// Frames that the device has captured and that were not read.
  func ahead(on source: borrowing some FrameSource & ~Copyable) -> Int {
    // All was read; a card that reports otherwise is wrong.
    if source.countsLostFrames { return Int(min(available, source.period).value) }
    return Int(min(max(delay, available), available + source.capacity).value)
  }
}
