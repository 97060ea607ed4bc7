internal import CLinux
internal import Glibc
package import Synchronization

/// A set of descriptors to wait for. The corresponding C function is `ppoll`.
///
/// Once its capacity is not exceeded no call allocates, so an audio thread may keep one.
package struct Poll: ~Copyable, Sendable {
  /// The events that a descriptor is watched for, or that were found.
  package struct Readiness: OptionSet, Sendable {
    /// The bits of `<poll.h>`.
    package let rawValue: Int16

    /// Events by their bits.
    package init(rawValue: Int16) { self.rawValue = rawValue }

    /// A read would not wait; at the end of a file too.
    package static let readable = Readiness(rawValue: Int16(POLLIN))
    /// Something other than data: for the list of mounts, that it changed.
    package static let urgent = Readiness(rawValue: Int16(POLLPRI))
    /// A write would not wait.
    package static let writable = Readiness(rawValue: Int16(POLLOUT))
    /// The other side closed; reported even if not watched for.
    package static let hungUp = Readiness(rawValue: Int16(POLLHUP))
    /// An error is pending; reported even if not watched for.
    package static let failed = Readiness(rawValue: Int16(POLLERR))
    /// The number is no open descriptor; reported even if not watched for.
    package static let invalid = Readiness(rawValue: Int16(POLLNVAL))
  }

  private var entries: [pollfd] = []

  /// An empty set with room for `capacity` descriptors.
  package init(capacity: Int = 8) { entries.reserveCapacity(capacity) }

  /// The number of descriptors that it watches.
  package var count: Int { entries.count }

  /// Adds a descriptor and returns its place; −1 keeps a place that is never ready.
  @discardableResult
  package mutating func add(_ number: CInt, for interest: Readiness = .readable) -> Int {
    entries.append(pollfd(fd: number, events: interest.rawValue, revents: 0))
    return entries.count - 1
  }

  /// Changes the events that the descriptor at a place is watched for; none leaves those that are
  /// always reported.
  package mutating func watch(_ place: Int, for interest: Readiness) {
    entries[place].events = interest.rawValue
  }

  /// Removes every descriptor and keeps the memory.
  package mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

  /// The events that the last wait found at a place.
  package subscript(place: Int) -> Readiness { Readiness(rawValue: entries[place].revents) }

  /// Waits until a descriptor is ready or `limit` passes, for ever without one, and returns how
  /// many are ready.
  ///
  /// An interruption by a signal handler does not end the wait.
  @discardableResult
  package mutating func wait(upTo limit: Duration?) throws(SystemError) -> Int {
    try unsafe entries.withUnsafeMutableBufferPointer { entries throws(SystemError) in
      try unsafe Self.wait(for: entries.baseAddress, entries.count, upTo: limit)
    }
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
  /// Waits until this one is ready; false once `limit` has passed.
  package func wait(
    for interest: Poll.Readiness = .readable, upTo limit: Duration?
  ) throws(SystemError) -> Bool {
    var entry = pollfd(fd: number, events: interest.rawValue, revents: 0)
    return try unsafe Poll.wait(for: &entry, 1, upTo: limit) > 0
  }
}

/// A signal from one thread that another polls for. The corresponding C function is `eventfd`.
///
/// Neither call allocates, locks or waits, so an audio thread may make both.
package struct Event: ~Copyable, Sendable {
  /// Readable while signalled.
  package let descriptor: Descriptor

  /// An event that is not signalled.
  package init() throws(SystemError) {
    descriptor = Descriptor(
      owning: try checked("eventfd") {
        eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
      })
  }

  /// Makes the descriptor readable; a second signal before `clear` changes nothing.
  package func signal() {
    var one: UInt64 = 1
    // The only failure is a full counter, and then it is signalled already.
    _ = unsafe write(descriptor.number, &one, 8)
  }

  /// Clears the signal and returns true if there was one.
  @discardableResult
  package func clear() -> Bool {
    var count: UInt64 = 0
    return unsafe read(descriptor.number, &count, 8) == 8
  }

  /// Waits until `body` has a value of what another thread changes, which signals each change.
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
