internal import Audio
internal import Linux
internal import Synchronization

/// A capture that the writer can read for a time. At other times, the capture thread reads.
protocol LentCapture: AnyObject, Sendable {
  /// The time when the writer must read, or nil while the capture thread reads.
  var nextRead: Duration? { get }

  /// Reads the frames that have gathered in the device. If the device delivers nothing, the capture
  /// thread reads again from then on.
  func read()
}

/// A capture that two threads use, one at a time. Usually only the capture thread uses it.
///
/// While the recording is unattended and the writer keeps up, the writer reads the device just
/// before it writes. This needs one wakeup instead of two, and the samples are still in the cache
/// of the writer's processor. Meanwhile, the capture thread sleeps. If the writer is late, the
/// capture thread reads again, without waiting for another thread.
final class SharedCapture<Source: FrameSource & ~Copyable>: LentCapture {
  /// The loop with its lock. The loop is nil after the capture has ended. The writer never waits
  /// for the lock. The capture thread waits for the lock during at most one read by the writer. In
  /// this time, the writer has the priority of the capture thread.
  private let loop: Mutex<CaptureLoop<Source>?>
  private let state: CaptureState
  private let clock: any StreamClock
  /// `nextRead` in nanoseconds, or `none`. It changes only while `loop` is locked.
  private let due = Atomic<Int64>(SharedCapture.none)

  /// The total time that the machine had been suspended at the last `lend`, in nanoseconds.
  private let slept = Atomic<Int64>(0)

  private static var none: Int64 { .max }

  init(
    _ loop: consuming sending CaptureLoop<Source>, _ state: CaptureState, clock: any StreamClock
  ) {
    self.loop = Mutex(loop)
    self.state = state
    self.clock = clock
  }

  /// Captures until an order stops it or the device fails permanently. Runs on the capture thread.
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

  /// Waits while frames gather in the device, if the capture may rest. Returns false if it may not
  /// rest, or if a signal ended the rest.
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

  /// Sets the time when the writer must read, and the timer for a late writer.
  private func lend(_ length: Duration, _ patience: Duration) {
    let now = KernelClock.monotonic.now
    due.store((now + length).wholeNanoseconds, ordering: .relaxed)
    slept.store(clock.slept.wholeNanoseconds, ordering: .relaxed)
    try? state.lateness.set(at: now + patience)
  }

  /// Whether the machine was suspended since the last `lend`. After a suspend, the driver may
  /// respond late or never, so the writer must not read the device.
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
