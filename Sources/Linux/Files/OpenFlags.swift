internal import CLinux
internal import Glibc

/// The flags of an open; close-on-exec and never becoming the controlling terminal are always
/// added.
package struct OpenFlags: OptionSet, Sendable {
  /// The bits of `<fcntl.h>`.
  package let rawValue: CInt

  /// Flags by their bits.
  package init(rawValue: CInt) { self.rawValue = rawValue }

  /// O_RDONLY, which has no bit: the default.
  package static let readOnly: OpenFlags = []
  /// O_WRONLY: reads fail.
  package static let writeOnly = OpenFlags(rawValue: O_WRONLY)
  /// O_RDWR: reads and writes.
  package static let readWrite = OpenFlags(rawValue: O_RDWR)
  /// Makes the file where there is none.
  package static let create = OpenFlags(rawValue: O_CREAT)
  /// With `create`: fails with `exists` where there is one, a dangling symbolic link included.
  package static let exclusive = OpenFlags(rawValue: O_EXCL)
  /// Cuts a file that exists to 0 bytes.
  package static let truncate = OpenFlags(rawValue: O_TRUNC)
  /// Writes each time at the end, wherever that is by then.
  package static let append = OpenFlags(rawValue: O_APPEND)
  /// Fails with `tooManyLinks` where the last component is a symbolic link.
  package static let noFollow = OpenFlags(rawValue: O_NOFOLLOW)
  /// Also keeps the open of a FIFO from waiting for its other end.
  package static let nonBlocking = OpenFlags(rawValue: O_NONBLOCK)
  /// Fails with `notDirectory` on anything else.
  package static let directory = OpenFlags(rawValue: O_DIRECTORY)
  /// Only a place in the tree: needs no permission to read, and can read nothing.
  package static let pathOnly = OpenFlags(rawValue: CInt(open_path_only))

  static let always = OpenFlags(rawValue: O_CLOEXEC | O_NOCTTY)
}
