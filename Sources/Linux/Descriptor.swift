internal import Glibc

/// A file descriptor that is closed when its owner goes.
package struct Descriptor: ~Copyable, Sendable {
  /// The number, for calls that take one; it stays ours.
  package let number: CInt

  /// Takes over a descriptor that nobody else closes.
  package init(owning number: CInt) { self.number = number }

  deinit { close(number) }

  /// Gives the number away; the caller closes it.
  package consuming func release() -> CInt {
    let number = number
    discard self
    return number
  }
}
