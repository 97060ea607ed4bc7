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

  /// Lets the thread sleep for all of `duration`, through interruptions.
  package static func sleep(_ duration: Duration) {
    var wake = timespec(monotonic.now + duration)
    while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nil) == EINTR {}
  }
}

extension Duration {
  init(_ time: timespec) {
    self.init(
      secondsComponent: Int64(time.tv_sec),
      attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
  }
}

extension timespec {
  /// Rounded up to whole nanoseconds, so that a wait never ends before its time; negative becomes zero.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = max(duration, .zero).components
    let nanoseconds = Int((attoseconds + 999_999_999) / 1_000_000_000)
    let carry = nanoseconds / 1_000_000_000
    self.init(tv_sec: Int(seconds) + carry, tv_nsec: nanoseconds % 1_000_000_000)
  }
}
