internal import CLinux
internal import Glibc

/// The flags for opening a file. Two flags are always added: O_CLOEXEC closes the file in `execve`,
/// and O_NOCTTY prevents a terminal from becoming the controlling terminal.
package struct OpenFlags: OptionSet, Sendable {
  /// The bits of `<fcntl.h>`.
  package let rawValue: CInt

  /// Creates flags from their bits.
  package init(rawValue: CInt) { self.rawValue = rawValue }

  /// Combines flags. The standard library's own initializer looks up types at run time, which is
  /// slow.
  package init(arrayLiteral flags: OpenFlags...) {
    self.init(rawValue: flags.reduce(0) { $0 | $1.rawValue })
  }

  /// O_RDONLY, the default. It has no bit.
  package static let readOnly: OpenFlags = []
  /// O_WRONLY: reads fail.
  package static let writeOnly = OpenFlags(rawValue: O_WRONLY)
  /// O_RDWR: reads and writes.
  package static let readWrite = OpenFlags(rawValue: O_RDWR)
  /// Creates the file if it does not exist.
  package static let create = OpenFlags(rawValue: O_CREAT)
  /// With `create`: fails with `exists` if the name is in use, even by a dangling symbolic link.
  package static let exclusive = OpenFlags(rawValue: O_EXCL)
  /// Truncates an existing file to 0 bytes.
  package static let truncate = OpenFlags(rawValue: O_TRUNC)
  /// Every write goes to the current end of the file.
  package static let append = OpenFlags(rawValue: O_APPEND)
  /// Fails with `tooManyLinks` if the last component is a symbolic link.
  package static let noFollow = OpenFlags(rawValue: O_NOFOLLOW)
  /// Reads and writes do not wait. Opening a FIFO does not wait for its other end either.
  package static let nonBlocking = OpenFlags(rawValue: O_NONBLOCK)
  /// Fails with `notDirectory` if the file is not a directory.
  package static let directory = OpenFlags(rawValue: O_DIRECTORY)
  /// Opens only the path (O_PATH). This needs no read permission, and the file cannot be read.
  package static let pathOnly = OpenFlags(rawValue: CInt(open_path_only))

  static let always = OpenFlags(rawValue: O_CLOEXEC | O_NOCTTY)
}
