internal import CLinux
internal import Glibc

/// The kernel's clocks. Each reading is the time since the zero point of the clock.
package enum KernelClock: Sendable {
  /// A clock that runs evenly, and stops while the machine sleeps. Use it for frames and time
  /// limits.
  case monotonic
  /// The monotonic clock at the kernel's last timer tick. It is up to one tick behind `monotonic`,
  /// or further behind if a processor was stopped.
  case tick
  /// A clock that runs evenly, and does not stop while the machine sleeps. Use it for grants that
  /// expire.
  case bootTime
  /// The time since 1970. It may jump in both directions. Use it only for labels.
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

  /// True if the wall clock is synchronized with a time server, or nil if the kernel does not
  /// report it. The C function is `adjtimex`.
  package static var isSynchronized: Bool? {
    let answer = clock_synchronized()
    return answer < 0 ? nil : answer == 1
  }

  /// Puts the thread to sleep for the full `duration`, even if signals interrupt the sleep.
  package static func sleep(_ duration: Duration) {
    var wake = timespec(monotonic.now + duration)
    while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nil) == EINTR {}
  }
}

extension Duration {
  /// The duration in milliseconds. It is rounded up, so that a wait never ends early. It is never
  /// negative, because `poll` does not limit the wait if the number is negative.
  package var wholeMilliseconds: CInt {
    let (seconds, attoseconds) = components
    let milliseconds = seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return CInt(min(max(milliseconds, 0), Int64(CInt.max)))
  }

  /// The duration in nanoseconds. It is rounded toward zero and limited to the range of `Int64`,
  /// 292 years.
  package var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }

  init(_ time: timespec) {
    self.init(
      secondsComponent: Int64(time.tv_sec),
      attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
  }
}

extension timespec {
  /// Creates a time that is rounded up to whole nanoseconds, so that a wait never ends early. A
  /// negative duration becomes zero.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = max(duration, .zero).components
    let nanoseconds = Int((attoseconds + 999_999_999) / 1_000_000_000)
    let carry = nanoseconds / 1_000_000_000
    self.init(tv_sec: Int(seconds) + carry, tv_nsec: nanoseconds % 1_000_000_000)
  }
}
