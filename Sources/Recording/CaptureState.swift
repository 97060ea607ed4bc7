internal import Audio
internal import Linux
internal import RealTime
internal import Synchronization

/// The state that the capture thread shares with the others beside the ring: counts, flags and the
/// events that wake.
///
/// The capture thread touches only the atomics and the events until it ends.
final class CaptureState: Sendable {
  /// The last report of a capture thread.
  struct Report {
    var end: CaptureEnd
    /// The loss after the last frame in the ring.
    var gap: GapRecord?
  }

  /// Frames in the ring since the beginning, the position that an edit is given.
  let captured = Atomic<Int>(0)
  /// Frames lost since the beginning, those not yet reported to the writer included.
  let lost = Atomic<Int>(0)
  let isStopping = Atomic<Bool>(false)
  /// Frames to capture before the device is closed for a pause, or `held`, or `closed`.
  private let leaving = Atomic<Int>(CaptureState.held)
  /// True while nobody waits for what is captured: frames may come in larger pieces.
  let isUnattended = Atomic<Bool>(false)
  let timeline: Timeline
  /// Ends the capture thread's wait.
  let wake: Event
  /// Wakes the writer: there is something to do.
  let arrival: Event
  /// Wakes the session's thread: frames are lost.
  let loss: Event
  /// Ends the capture thread's wait for a writer that reads in its place and is late.
  let lateness: Timer
  private let ending = Mutex<Report?>(nil)
  /// True if frames may be written after a standstill only once the session has checked the access.
  private let isGuarded = Atomic<Bool>(false)
  private let doubt = Atomic<Bool>(false)

  init(_ timeline: Timeline) throws(SystemError) {
    self.timeline = timeline
    wake = try Event()
    arrival = try Event()
    loss = try Event()
    lateness = try Timer(on: .monotonic)
  }

  /// The end of the capture, or nil while it runs.
  var report: Report? { ending.withLock { $0 } }

  /// Sets the capture thread's last report, or one in its place; only the first counts.
  func finish(_ end: CaptureEnd, _ gap: GapRecord? = nil) {
    ending.withLock { ending in
      if ending == nil { ending = Report(end: end, gap: gap) }
    }
    arrival.signal()
  }

  /// No order to close the device.
  private static let held = Int.max
  /// The device is closed, or is being closed, and no order can prevent that.
  private static let closed = -1

  /// True from the order to close the device to the order to open it again.
  var isReleased: Bool { leaving.load(ordering: .acquiring) != Self.held }

  /// True from the moment at which the device is closed to the order to open it again.
  var isClosed: Bool { leaving.load(ordering: .acquiring) == Self.closed }

  /// Frames to capture before the device is closed; nil without such an order.
  var releasePosition: Int? {
    let position = leaving.load(ordering: .acquiring)
    return position == Self.held || position == Self.closed ? nil : position
  }

  /// Asks the capture thread to close the device once it has captured so many frames.
  func release(after position: Int) {
    leaving.store(position, ordering: .releasing)
    wake.signal()
  }

  /// Carries the order to close the device out; false where it was taken back.
  func close() -> Bool {
    guard let position = releasePosition else { return false }
    return leaving.compareExchange(
      expected: position, desired: Self.closed, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// Takes the order to close the device back; false where it is closed by now.
  func keepOpen() -> Bool {
    guard let position = releasePosition else { return !isClosed }
    return leaving.compareExchange(
      expected: position, desired: Self.held, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// Asks the capture thread to open the device again.
  func reclaim() {
    leaving.store(Self.held, ordering: .releasing)
    wake.signal()
  }

  /// Lets both threads rest longer, or wakes them where somebody looks on from now on.
  func leaveUnattended(_ isUnattended: Bool) {
    let before = self.isUnattended.exchange(isUnattended, ordering: .relaxed)
    guard before, !isUnattended else { return }
    wake.signal()
    arrival.signal()
  }

  /// Lets the writer ask before it writes on after a standstill.
  func guardWriting() { isGuarded.store(true, ordering: .relaxed) }

  /// True while the writer waits for the session to check the access.
  var isDoubted: Bool { doubt.load(ordering: .acquiring) }

  /// Asks the session to check the access, because the writer stood still.
  func raiseDoubt() {
    guard isGuarded.load(ordering: .relaxed) else { return }
    doubt.store(true, ordering: .releasing)
    loss.signal()
  }

  /// Lets the writer continue.
  func settleDoubt() {
    doubt.store(false, ordering: .releasing)
    arrival.signal()
  }

  /// Asks the capture thread to read what is there and to end.
  func stop() {
    isStopping.store(true, ordering: .releasing)
    wake.signal()
    arrival.signal()
  }
}

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

  /// Frames that have gone by at `instant`, delivered or lost. For the thread that reads the device.
  func pass(_ elapsed: Int, at instant: Duration) {
    let start = instant - FrameCount(elapsed).duration(at: rate)
    // Releases nothing but the number.
    origin.store(start.wholeNanoseconds, ordering: .relaxed)
  }

  /// Forgets the pace of a device that is closed; the next one that delivers sets it.
  func forget() { origin.store(.min, ordering: .relaxed) }

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

/// A gap on its way from the capture thread to the writer.
struct GapRecord: BitwiseCopyable {
  /// Frames in the ring before it.
  var position: Int
  var length: Int
  var cause: Int

  static let bytes = MemoryLayout<GapRecord>.stride
}

extension Gap.Cause {
  /// The causes by number, since a record carries no strings.
  static let numbered: [Gap.Cause] = [.overrun, .suspended, .disconnected, .stalled, .disk]

  var number: Int {
    switch self {
    case .overrun: 0
    case .suspended: 1
    case .disconnected: 2
    case .stalled: 3
    case .disk: 4
    }
  }
}

extension SampleRing.Writer {
  /// Puts a record in; false if there is no room.
  mutating func put(_ record: GapRecord) -> Bool {
    var room = room(upTo: 1)
    guard room.byteCount == GapRecord.bytes else { return false }
    room.storeBytes(of: record, as: GapRecord.self)
    commit(1)
    return true
  }
}

extension SampleRing.Reader {
  /// Takes the next record; nil if there is none.
  mutating func takeRecord() -> GapRecord? {
    let record: GapRecord
    do {
      let bytes = frames(upTo: 1)
      guard bytes.byteCount == GapRecord.bytes else { return nil }
      record = unsafe bytes.unsafeLoad(as: GapRecord.self)
    }
    release(1)
    return record
  }
}

/// Notices that the process or the disk stood still between two steps of the writer.
struct Standstill {
  private var step = KernelClock.monotonic.now

  /// The longest time between two steps after which the access is taken to be as it was.
  private static let longest = Duration.seconds(1)

  /// Takes a step; returns true while frames from during or after a standstill may not be written.
  mutating func isDoubted(by state: CaptureState) -> Bool {
    let now = KernelClock.monotonic.now
    if now - step > Self.longest { state.raiseDoubt() }
    step = now
    return state.isDoubted
  }
}
