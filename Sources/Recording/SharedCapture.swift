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
  /// Nil once the capture has ended. The writer only tries the lock; the capture thread waits, if at
  /// all, for one read of the writer's, which has its priority meanwhile.
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
    var end = loop.withLock { $0?.start() }
    var hasGathered = false
    while end == nil {
      end = loop.withLock { $0?.advance(hasGathered: hasGathered) }
      hasGathered = end == nil && rest(&poll)
    }
    if let end, let loop = loop.withLock({ $0.take() }) { loop.close(end) }
  }

  /// Lets frames gather in the device, where the capture may rest; false where a signal ended that.
  private func rest(_ poll: inout Poll) -> Bool {
    guard let rest = loop.withLock({ $0?.rest }) else { return false }
    guard let patience = rest.patience else {
      return !clock.wait(upTo: rest.length, wake: state.wake.descriptor.number)
    }
    loop.withLock { _ in lend(rest.length, patience) }
    state.arrival.signal()
    _ = try? poll.wait(upTo: nil)
    loop.withLock { _ in due.store(Self.none, ordering: .relaxed) }
    state.lateness.clear()
    guard poll[0].contains(.readable) else { return true }
    state.wake.clear()
    return false
  }

  /// Tells the writer when to read, and the timer when that is late.
  private func lend(_ length: Duration, _ patience: Duration) {
    let now = KernelClock.monotonic.now
    due.store((now + length).wholeNanoseconds, ordering: .relaxed)
    slept.store(clock.slept.wholeNanoseconds, ordering: .relaxed)
    try? state.lateness.set(at: now + patience)
  }

  /// True where the machine has slept since the device was lent: its driver may not answer yet, or
  /// never, and the writer has to answer for the file.
  private var hasSlept: Bool {
    clock.slept - .nanoseconds(slept.load(ordering: .relaxed)) > .milliseconds(100)
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
