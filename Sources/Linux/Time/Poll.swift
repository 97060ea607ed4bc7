internal import CLinux
internal import Glibc
package import Synchronization

/// A set of descriptors to wait for. The corresponding C function is `ppoll`.
///
/// No call allocates memory unless the capacity is exceeded, so an audio thread may use this set.
package struct Poll: ~Copyable, Sendable {
  /// The events to wait for, or the events that occurred.
  package struct Readiness: OptionSet, Sendable {
    /// The bits of `<poll.h>`.
    package let rawValue: Int16

    /// Creates events from their bits.
    package init(rawValue: Int16) { self.rawValue = rawValue }

    // These functions replace functions of `OptionSet`. If another module calls a function of
    // `OptionSet`, each call looks up the metadata of the type.

    /// Whether no event occurred.
    package var isEmpty: Bool { rawValue == 0 }

    /// Returns whether all these events occurred.
    package func contains(_ events: Readiness) -> Bool {
      rawValue & events.rawValue == events.rawValue
    }

    /// A read would not wait. This includes the end of a file.
    package static let readable = Readiness(rawValue: Int16(POLLIN))
    /// An exceptional condition. For the kernel's list of mounts, this means that the list has
    /// changed.
    package static let urgent = Readiness(rawValue: Int16(POLLPRI))
    /// A write would not wait.
    package static let writable = Readiness(rawValue: Int16(POLLOUT))
    /// The other side has closed the connection. This event is always reported.
    package static let hungUp = Readiness(rawValue: Int16(POLLHUP))
    /// An error is pending. This event is always reported.
    package static let failed = Readiness(rawValue: Int16(POLLERR))
  }

  private var entries: [pollfd] = []

  /// Creates an empty set with room for `capacity` descriptors.
  package init(capacity: Int = 8) { entries.reserveCapacity(capacity) }

  /// The number of descriptors in the set.
  package var count: Int { entries.count }

  /// Adds a descriptor and returns its index. The number −1 reserves an index that is never ready.
  @discardableResult
  package mutating func add(_ number: CInt, for interest: Readiness = .readable) -> Int {
    entries.append(pollfd(fd: number, events: interest.rawValue, revents: 0))
    return entries.count - 1
  }

  /// Removes all descriptors and keeps the memory.
  package mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

  /// The events that the last wait found at an index.
  package subscript(index: Int) -> Readiness { Readiness(rawValue: entries[index].revents) }

  /// Waits until a descriptor is ready or `limit` has passed, and returns the number of ready
  /// descriptors. A nil limit means no limit.
  ///
  /// A signal handler does not end the wait.
  @discardableResult
  package mutating func wait(upTo limit: Duration?) throws(SystemError) -> Int {
    try unsafe entries.withUnsafeMutableBufferPointer { entries throws(SystemError) in
      try unsafe Self.wait(for: entries.baseAddress, entries.count, upTo: limit)
    }
  }

  /// Returns whether a descriptor is ready now. A pipe without a writer counts as readable,
  /// although the kernel reports only a hang-up. This function allocates no memory.
  package static func isReady(_ number: Int32, for interest: Readiness = .readable) -> Bool {
    var entry = pollfd(fd: number, events: interest.rawValue, revents: 0)
    return unsafe poll(&entry, 1, 0) == 1
  }

  fileprivate static func wait(
    for entries: UnsafeMutablePointer<pollfd>?, _ count: Int, upTo limit: Duration?
  ) throws(SystemError) -> Int {
    let deadline = limit.map { KernelClock.monotonic.now + $0 }
    while true {
      let ready = unsafe wait(for: entries, count, until: deadline)
      if ready >= 0 { return Int(ready) }
      let reason = Errno.last
      if reason != .interrupted { throw SystemError("ppoll", errno: reason) }
    }
  }

  private static func wait(
    for entries: UnsafeMutablePointer<pollfd>?, _ count: Int, until deadline: Duration?
  ) -> CInt {
    guard let deadline else { return unsafe ppoll(entries, nfds_t(count), nil, nil) }
    var left = timespec(deadline - KernelClock.monotonic.now)
    return unsafe ppoll(entries, nfds_t(count), &left, nil)
  }
}

extension Descriptor {
  /// Waits until the descriptor is ready. Returns false if `limit` has passed.
  package func wait(
    for interest: Poll.Readiness = .readable, upTo limit: Duration?
  ) throws(SystemError) -> Bool {
    var entry = pollfd(fd: number, events: interest.rawValue, revents: 0)
    return try unsafe Poll.wait(for: &entry, 1, upTo: limit) > 0
  }
}

/// A signal to another thread, which polls for it. The corresponding C function is `eventfd`.
///
/// `signal` and `clear` do not allocate, lock or wait, so an audio thread may call them.
package struct Event: ~Copyable, Sendable {
  /// Readable while signalled.
  package let descriptor: Descriptor

  /// Creates an event that is not signalled.
  package init() throws(SystemError) {
    descriptor = Descriptor(
      owning: try checked("eventfd") {
        eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
      })
  }

  /// Makes the descriptor readable. A second signal before `clear` has no effect.
  package func signal() {
    var one: UInt64 = 1
    // The only possible failure is a full counter. The event is then already signalled.
    _ = unsafe write(descriptor.number, &one, 8)
  }

  /// Clears the signal and returns true if there was one.
  @discardableResult
  package func clear() -> Bool {
    var count: UInt64 = 0
    return unsafe read(descriptor.number, &count, 8) == 8
  }

  /// Waits until `body` returns a value. A thread that changes `state` must signal the change.
  package func wait<State, Value: Sendable>(
    _ state: borrowing Mutex<State>, until body: (inout State) -> Value?
  ) -> Value {
    while true {
      if let value = state.withLock({ body(&$0) }) { return value }
      _ = try? descriptor.wait(upTo: nil)
      clear()
    }
  }
}

/// A value that one thread sets once, and that another thread waits for.
package final class Awaited<Value: Sendable>: Sendable {
  /// Signalled once the value is set. A wait for `value` clears the signal.
  package let isSet: Event
  private let held = Mutex<Value?>(nil)

  /// Creates a value that is not set.
  package init() throws(SystemError) { isSet = try Event() }

  /// Sets the value, and wakes the thread that waits for it.
  package func set(_ value: Value) {
    held.withLock { $0 = value }
    isSet.signal()
  }

  /// The value. Waits until it is set.
  package var value: Value { isSet.wait(held) { $0 } }
}

/// A timer that can be polled. The corresponding C function is `timerfd_create`.
package struct Timer: ~Copyable, Sendable {
  /// Readable once the deadline has passed.
  package let descriptor: Descriptor
  private let clock: KernelClock

  /// Creates a timer that is not set.
  package init(on clock: KernelClock) throws(SystemError) {
    let flags = CInt(TFD_CLOEXEC | TFD_NONBLOCK)
    self.clock = clock
    self.descriptor = Descriptor(
      owning: try checked("timerfd_create") { timerfd_create(clock.identifier, flags) })
  }

  /// Sets the timer to fire when its clock reads `instant`, or immediately if this time has passed.
  /// After that, the timer fires every `interval`, or never again if `interval` is zero.
  package func set(at instant: Duration, every interval: Duration = .zero) throws(SystemError) {
    // Zero would disarm the timer. So an instant of zero or less becomes 1 ns, which has also
    // passed.
    let first = max(instant, .nanoseconds(1))
    var setting = itimerspec(it_interval: timespec(interval), it_value: timespec(first))
    try checked("timerfd_settime") {
      unsafe timerfd_settime(descriptor.number, CInt(TFD_TIMER_ABSTIME), &setting, nil)
    }
  }

  /// Sets the timer to fire after `delay`. After that, it fires every `interval`, or never again if
  /// `interval` is zero.
  package func set(after delay: Duration, every interval: Duration = .zero) throws(SystemError) {
    try set(at: clock.now + delay, every: interval)
  }

  /// Returns the number of times that the timer has fired since the last call.
  @discardableResult
  package func clear() -> Int {
    var count: UInt64 = 0
    return unsafe read(descriptor.number, &count, 8) == 8 ? Int(clamping: count) : 0
  }
}
