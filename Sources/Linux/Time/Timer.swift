internal import CLinux
internal import Glibc

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

  /// Sets it to fire when its clock reads `instant`, at once where that has passed, and then each `interval`.
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
