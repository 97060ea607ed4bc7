internal import CLinux
internal import Glibc

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
}
