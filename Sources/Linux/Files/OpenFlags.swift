internal import CLinux
internal import Glibc

/// How a file is opened; close-on-exec and never becoming the controlling terminal come always.
package struct OpenFlags: OptionSet, Sendable {
  package let rawValue: CInt

  package init(rawValue: CInt) { self.rawValue = rawValue }

  package static let readOnly: OpenFlags = []
  package static let writeOnly = OpenFlags(rawValue: O_WRONLY)
  package static let readWrite = OpenFlags(rawValue: O_RDWR)
  /// Makes the file where there is none.
  package static let create = OpenFlags(rawValue: O_CREAT)
  /// With `create`: fails with `exists` where there is one, a dangling symbolic link included.
  package static let exclusive = OpenFlags(rawValue: O_EXCL)
  package static let truncate = OpenFlags(rawValue: O_TRUNC)
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
