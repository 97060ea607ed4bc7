internal import CLinux
internal import Glibc

/// The kernel's clocks; each reading is the time since the clock's own zero.
package enum KernelClock: Sendable {
  /// Runs evenly and stands still while the machine sleeps; for frames and time limits.
  case monotonic
  /// The monotonic clock at the kernel's last tick, which is late if a processor stood still.
  case tick
  /// Runs evenly and counts sleep too; for grants that expire.
  case bootTime
  /// Since 1970, and may jump either way; for labels only.
  case realTime

  /// Reads the clock. The corresponding C function is `clock_gettime`.
  package var now: Duration {
    var reading = timespec()
    unsafe clock_gettime(identifier, &reading)
    return Duration(reading)
  }

  var identifier: clockid_t {
    switch self {
    case .monotonic: CLOCK_MONOTONIC
    case .tick: CLOCK_MONOTONIC_COARSE
    case .bootTime: CLOCK_BOOTTIME
    case .realTime: CLOCK_REALTIME
    }
  }

  /// True where the clock of 1970 follows a time server; nil where the kernel does not say. The C
  /// function is `adjtimex`.
  package static var isSynchronized: Bool? {
    let answer = clock_synchronized()
    return answer < 0 ? nil : answer == 1
  }

  /// Lets the thread sleep for all of `duration`, through interruptions.
  package static func sleep(_ duration: Duration) {
    var wake = timespec(monotonic.now + duration)
    while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nil) == EINTR {}
  }
}

extension Duration {
  /// Rounded up, so that a wait never ends before its time, and never negative, which would mean
  /// for ever.
  package var wholeMilliseconds: CInt {
    let (seconds, attoseconds) = components
    let milliseconds = seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return CInt(min(max(milliseconds, 0), Int64(CInt.max)))
  }

  /// Rounded down; at most those of an `Int64`, 292 years.
  package var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }

  init(_ time: timespec) {
    self.init(
      secondsComponent: Int64(time.tv_sec),
      attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
  }
}

extension timespec {
  /// Rounded up to whole nanoseconds, so that a wait never ends before its time; negative becomes
  /// zero.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = max(duration, .zero).components
    let nanoseconds = Int((attoseconds + 999_999_999) / 1_000_000_000)
    let carry = nanoseconds / 1_000_000_000
    self.init(tv_sec: Int(seconds) + carry, tv_nsec: nanoseconds % 1_000_000_000)
  }
}

/// A deadline that can be polled for. The corresponding C function is `timerfd_create`.
package struct Timer: ~Copyable, Sendable {
  /// Readable once the deadline has passed.
  package let descriptor: Descriptor
  private let clock: KernelClock

  /// A timer that is not set yet.
  package init(on clock: KernelClock) throws(SystemError) {
    let flags = CInt(TFD_CLOEXEC | TFD_NONBLOCK)
    self.clock = clock
    self.descriptor = Descriptor(
      owning: try checked("timerfd_create") { timerfd_create(clock.identifier, flags) })
  }

  /// Sets it to fire when its clock reads `instant`, at once where that has passed, and then each
  /// `interval`.
  package func set(at instant: Duration, every interval: Duration = .zero) throws(SystemError) {
    // Zero would disarm it, and an instant at or before zero is one that has passed.
    let first = max(instant, .nanoseconds(1))
    try arm(itimerspec(it_interval: timespec(interval), it_value: timespec(first)))
  }

  /// Sets it to fire `delay` from now, and then each `interval`.
  package func set(after delay: Duration, every interval: Duration = .zero) throws(SystemError) {
    try set(at: clock.now + delay, every: interval)
  }

  /// Makes it fire no more.
  package func cancel() throws(SystemError) {
    try arm(itimerspec(it_interval: timespec(.zero), it_value: timespec(.zero)))
  }

  /// Returns the number of times that it has fired since the last call; 0 where it has not.
  @discardableResult
  package func clear() -> Int {
    var count: UInt64 = 0
    return unsafe read(descriptor.number, &count, 8) == 8 ? Int(clamping: count) : 0
  }

  private func arm(_ setting: itimerspec) throws(SystemError) {
    var setting = setting
    try checked("timerfd_settime") {
      unsafe timerfd_settime(descriptor.number, CInt(TFD_TIMER_ABSTIME), &setting, nil)
    }
  }
}
