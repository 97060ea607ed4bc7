internal import Audio
internal import Linux
internal import RealTime
internal import Synchronization

/// The counts of the capture thread: delivered frames, lost frames, and the positions of the
/// losses.
///
/// Consecutive losses are reported to the writer as one gap. The report waits until the device
/// delivers the next frames, and is sent before these frames are put into the ring. So every gap in
/// the queue is followed by frames. A loss after the last frame is a part of the thread's final
/// report.
struct CaptureCounts: ~Copyable {
  private(set) var captured = 0
  private(set) var lost = 0
  /// Lost frames that are not yet reported to the writer. Their position is `captured`.
  private var pending: GapRecord?
  /// The silent tracks, now and in the last report.
  private var (silent, reported) = (SilentTracks(), SilentTracks())
  private var gaps: SampleRing.Writer
  private let state: CaptureState
  private let clock: any StreamClock
  private let rate: SampleRate
  /// The device's pace, or nil before the first frame and while the device is closed for a pause.
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

  /// The number of frames since the beginning, delivered or lost.
  var elapsed: Int { captured + lost }

  /// The loss that is not yet followed by a frame, or nil if there is none.
  var lastGap: GapRecord? {
    var gap = pending
    gap?.silent = silent
    return gap
  }

  /// Sets the tracks that are silent in the next frames.
  mutating func silence(_ tracks: SilentTracks) {
    silent = tracks
    if !(state.missing == tracks.missing) { state.missing = tracks.missing }
  }

  /// Counts frames that were put into the ring.
  mutating func capture(_ count: Int) {
    captured += count
    // Relaxed, because only the number is published here. The ring publishes the frames.
    state.captured.store(captured, ordering: .relaxed)
  }

  /// Counts lost frames at the current position.
  mutating func lose(_ count: Int, _ cause: Gap.Cause) {
    guard count > 0 else { return }
    let isNew = pending == nil
    let begun = pending ?? GapRecord(position: captured, length: 0, cause: cause)
    // A loss that looks like an overrun at first may come from a removed device.
    let cause = cause == .disconnected ? cause : begun.cause
    pending = GapRecord(position: begun.position, length: begun.length + count, cause: cause)
    lost += count
    state.lost.store(lost, ordering: .relaxed)
    if isNew { state.loss.signal() }
  }

  /// Reports the pending loss and the silent tracks to the writer. Returns false if the queue of
  /// gaps is full. In this case, no frames may be put into the ring.
  mutating func reportLoss() -> Bool {
    guard pending != nil || silent != reported else { return true }
    let record =
      lastGap ?? GapRecord(position: captured, length: 0, cause: .disconnected, silent: silent)
    guard gaps.put(record) else { return false }
    (pending, reported) = (nil, silent)
    return true
  }
}

extension CaptureCounts {
  /// Returns the device's progress at a time on the monotonic clock, with `ahead` frames that were
  /// captured but not read.
  func progress(ahead: Int, at instant: Duration) -> CapturePace.Look {
    let slept = clock.slept
    return CapturePace.Look(bootTime: instant + slept, slept: slept, ahead: ahead)
  }

  /// Compares the counts with the clock. Call it after the device has delivered frames and is
  /// empty. If the device cannot count its losses, they are calculated from the clock.
  ///
  /// - Parameter claimed: the number of frames that are captured but not read, according to the
  ///   device. This can be more than the device can hold.
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
      // The next read, or the recovery of the device, counts the lost frames.
      isLate ? self.pace?.resume(from: look) : restart(look)
    } else if isLate {
      countStall(look, claimed: claimed, tolerance: Int(tolerance.value))
    } else {
      // A server that skipped a cycle reports nothing and continues. Only frames that remain
      // missing are lost.
      let missing = pace.follow(look, after: elapsed, tolerating: Int(tolerance.value))
      self.pace = pace
      lose(missing, .overrun)
    }
  }

  /// Counts the frames that were missed while the program was stopped. A server may have stored
  /// many of them. Frames that the server claims to have are counted as lost only later, if they do
  /// not arrive.
  private mutating func countStall(_ look: CapturePace.Look, claimed: Int, tolerance: Int) {
    guard let missing = pace?.missing(at: look, after: elapsed) else { return }
    let claimed = max(0, claimed - look.ahead)
    guard claimed > 0 else {
      lose(missing, .stalled)
      return restart(look)
    }
    // The claim may be wrong by up to the tolerance.
    if missing - claimed > tolerance { lose(missing - claimed, .stalled) }
    pace?.resume(from: look)
  }

  /// Finds the frames that should have arrived by now but have not, and counts them as lost. If
  /// this function is called again, no frame is counted twice.
  mutating func loseMissing(_ cause: Gap.Cause) {
    guard let pace else { return }
    lose(pace.missing(at: progress(ahead: 0, at: clock.monotonic), after: elapsed), cause)
  }

  /// Counts the frames that were lost while the device was silent. These frames should have
  /// arrived, but have not, and the device does not hold them either.
  mutating func resume(_ look: CapturePace.Look, _ cause: Gap.Cause) {
    guard let pace else { return }
    regain(look)
    lose(pace.missing(at: look, after: elapsed), cause)
    self.pace?.resume(from: look)
  }

  /// Removes the pace of a device that is closed for a pause, so that no frame counts as missing.
  mutating func rest() { pace = nil }

  /// Starts to measure the device's pace again, as if its next frame were captured now.
  mutating func restart() { restart(progress(ahead: 0, at: clock.monotonic)) }

  private mutating func restart(_ look: CapturePace.Look) {
    if elapsed > 0 { pace = CapturePace(look, after: elapsed, at: rate) }
  }

  /// Undoes the pending loss, or a part of it, if its frames arrive after all.
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

/// The pace of a device compared with the clock.
struct CapturePace {
  /// The state of a device at one instant.
  struct Look {
    /// The time, including the time that the machine was suspended.
    var bootTime: Duration
    /// The total time that the machine was suspended so far.
    var slept: Duration
    /// The number of frames that were captured but not read.
    var ahead: Int
  }

  private let rate: SampleRate
  /// The time of frame 0, calculated from the current pace.
  private var origin: Duration
  private(set) var looked: Duration
  private var slept: Duration
  /// `since` is the time of the look that first found more missing frames than the tolerance.
  /// `least` is the smallest number of missing frames from that look on. Nil if there is no such
  /// look.
  private var shortfall: (since: Duration, least: Int)?

  /// The divisor for the maximum drift. A crystal is off by at most 300 ppm.
  private static let drift: Int128 = 3_333
  /// The longest delay of a frame. A frame that has not arrived after this time is lost.
  private static let patience = Duration.seconds(1)

  /// The pace of a device that has delivered `elapsed` frames.
  init(_ look: Look, after elapsed: Int, at rate: SampleRate) {
    self.rate = rate
    origin = look.bootTime - FrameCount(elapsed + look.ahead).duration(at: rate)
    (looked, slept) = (look.bootTime, look.slept)
  }

  private static func mostDrift(in time: Duration) -> Duration {
    Duration(attoseconds: time.attoseconds / drift)
  }

  /// Half a frame. It is added before rounding down, so that the result is rounded to the nearest
  /// frame.
  private static func half(at rate: SampleRate) -> Duration {
    Duration(attoseconds: FrameCount(1).duration(at: rate).attoseconds / 2)
  }

  /// Whether the machine was suspended since the last look.
  func hasSlept(until look: Look) -> Bool { look.slept - slept > .milliseconds(100) }

  /// Returns the number of frames that should have arrived according to the clock, but have not. It
  /// is negative if more frames have arrived.
  func missing(at look: Look, after elapsed: Int) -> Int {
    let late = look.bootTime - origin - FrameCount(elapsed + look.ahead).duration(at: rate)
    return Int(FrameCount(late + Self.half(at: rate), at: rate).value)
  }

  /// Records the times of a look. The origin does not change.
  mutating func resume(from look: Look) {
    (looked, slept) = (look.bootTime, look.slept)
    shortfall = nil
  }

  /// Adjusts to a device that drifts against the clock. If the number of missing frames has
  /// exceeded the tolerance for at least `patience`, returns the smallest number in this time.
  /// Otherwise, returns 0.
  mutating func follow(_ look: Look, after elapsed: Int, tolerating tolerance: Int) -> Int {
    let missing = missing(at: look, after: elapsed)
    let late = FrameCount(missing).duration(at: rate)
    // Early frames show that the origin was too late, so the origin is corrected completely. Late
    // frames move the origin only by the possible drift.
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
  /// Returns the number of frames that the device has captured but that were not read.
  func ahead(on source: borrowing some FrameSource & ~Copyable) -> Int {
    // The device was just emptied. If a card reports more than `mostUnread` frames, its report is
    // wrong, so the number is limited.
    if source.countsLostFrames { return Int(min(available, source.mostUnread).value) }
    return Int(min(max(delay, available), available + source.capacity).value)
  }
}
