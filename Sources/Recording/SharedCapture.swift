internal import Audio
internal import Linux
internal import Synchronization

/// A capture that the writer reads in the capture thread's place.
protocol LentCapture: AnyObject, Sendable {
  /// The moment at which the writer is to read; nil while the capture thread reads.
  var nextRead: Duration? { get }

  /// Reads what has gathered, or leaves it to the capture thread where the device brings nothing.
  func read()
}

/// A capture at which two threads work, one at a time: as a rule the capture thread alone.
///
/// While nobody looks on and the writer keeps up, the writer reads the device just before it writes,
/// so that one wake does what two did, with the samples still in its processor's cache. The capture
/// thread sleeps until the writer is late, because a disk stands still or a processor is busy: then
/// it reads again, and waits for nobody.
final class SharedCapture<Source: FrameSource & ~Copyable>: LentCapture {
  /// Nil once the capture has ended.
  private let loop: Mutex<CaptureLoop<Source>?>
  private let state: CaptureState
  private let clock: any StreamClock
  /// `nextRead` in nanoseconds, or `none`; it changes only while `loop` is held.
  private let due = Atomic<Int64>(SharedCapture.none)

  /// The time that the machine had slept at the last `lend`, in nanoseconds.
  private let slept = Atomic<Int64>(0)

  private static var none: Int64 { .max }

  init(
    _ loop: consuming sending CaptureLoop<Source>, _ state: CaptureState, clock: any StreamClock
  ) {
    self.loop = Mutex(loop)
    self.state = state
    self.clock = clock
  }

  /// Captures until an order stops it or the device fails for good; on the capture thread.
  func run() {
    var poll = Poll(capacity: 2)
    poll.add(state.wake.descriptor.number)
    poll.add(state.lateness.descriptor.number)
    var end = hold { $0?.start() }
    var hasGathered = false
    while end == nil {
      end = hold { $0?.advance(hasGathered: hasGathered) }
      hasGathered = end == nil && rest(&poll)
    }
    if let end, let loop = loop.withLock({ $0.take() }) { loop.close(end) }
  }

  /// Lets frames gather in the device, where the capture may rest; false where a signal ended that.
  private func rest(_ poll: inout Poll) -> Bool {
    guard let rest = hold({ $0?.rest }) else { return false }
    guard let patience = rest.patience else {
      return !clock.wait(upTo: rest.length, wake: state.wake.descriptor.number)
    }
    hold { _ in lend(rest.length, patience) }
    state.arrival.signal()
    _ = try? poll.wait(upTo: nil)
    hold { _ in due.store(Self.none, ordering: .relaxed) }
    state.lateness.clear()
    guard poll[0].contains(.readable) else { return true }
    state.wake.clear()
    return false
  }

  /// Tells the writer when to read, and the timer when that is late.
  private func lend(_ length: Duration, _ patience: Duration) {
    let now = KernelClock.monotonic.now
    due.store((now + length).wholeNanoseconds, ordering: .relaxed)
    slept.store((KernelClock.bootTime.now - now).wholeNanoseconds, ordering: .relaxed)
    try? state.lateness.set(at: now + patience)
  }

  /// Waits, if at all, for one read of the writer's, which has this thread's priority meanwhile.
  private func hold<Result: Sendable>(
    _ body: (inout CaptureLoop<Source>?) -> Result
  ) -> Result {
    loop.withLock { body(&$0) }
  }

  /// True where the machine has slept since the device was lent: its driver may not answer yet, or
  /// never, and the writer has to answer for the file.
  private var hasSlept: Bool {
    let now = KernelClock.bootTime.now - KernelClock.monotonic.now
    return now - .nanoseconds(slept.load(ordering: .relaxed)) > .milliseconds(100)
  }
}

extension SharedCapture where Source: ~Copyable {
  var nextRead: Duration? {
    let due = due.load(ordering: .relaxed)
    return due == Self.none ? nil : .nanoseconds(due)
  }

  func read() {
    _ = loop.withLockIfAvailable { loop in
      guard nextRead != nil else { return }
      if !hasSlept, let rest = loop?.readForWriter(), let patience = rest.patience {
        lend(rest.length, patience)
      } else {
        due.store(Self.none, ordering: .relaxed)
        state.wake.signal()
      }
    }
  }
}

/// A time for which frames gather in the device before they are read.
struct CaptureRest {
  let length: Duration
  /// The time after which a writer that reads in the capture thread's place is late; nil where it is
  /// not to read.
  private(set) var patience: Duration?

  /// The least part of a device's buffer that is left for a delay of a thread.
  private static var leastReserve: Duration { .milliseconds(100) }

  /// The longest rest that a device's buffer allows; nil for a short one, whose half is too little
  /// for a delay, and for a device that wakes as seldom by itself.
  init?(for source: borrowing some FrameSource & ~Copyable) {
    let rate = source.format.rate
    let buffer = source.capacity.duration(at: rate)
    length = min(CaptureState.longestRest, buffer / 2)
    guard buffer / 2 >= Self.leastReserve, length > source.period.duration(at: rate) else {
      return nil
    }
    let delay = (buffer - length) / 4
    patience = delay < Self.leastReserve ? nil : length + delay
  }

  /// The same, with the capture thread to read afterwards.
  var alone: CaptureRest {
    var rest = self
    rest.patience = nil
    return rest
  }
}
