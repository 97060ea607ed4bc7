internal import CLinux
internal import Glibc

/// An error number of the kernel or the C library.
package struct Errno: RawRepresentable, Hashable, Error, Sendable {
  package let rawValue: CInt

  package init(rawValue: CInt) { self.rawValue = rawValue }

  /// What the last failed call of this thread left; read it on the very next line.
  package static var last: Errno { Errno(rawValue: errno) }
}

extension Errno: CustomStringConvertible {
  /// The C library's own words, never translated.
  package var description: String {
    guard let words = unsafe strerrordesc_np(rawValue) else { return "error \(rawValue)" }
    return unsafe String(cString: words)
  }
}

extension Errno {
  package static let interrupted = Errno(rawValue: EINTR)
  package static let noSuchFile = Errno(rawValue: ENOENT)
  package static let exists = Errno(rawValue: EEXIST)
  package static let notPermitted = Errno(rawValue: EPERM)
  package static let accessDenied = Errno(rawValue: EACCES)
  package static let wouldBlock = Errno(rawValue: EAGAIN)
  package static let invalid = Errno(rawValue: EINVAL)
  package static let busy = Errno(rawValue: EBUSY)
  package static let noSpace = Errno(rawValue: ENOSPC)
  package static let inputOutput = Errno(rawValue: EIO)
  package static let readOnlyFilesystem = Errno(rawValue: EROFS)
  package static let brokenPipe = Errno(rawValue: EPIPE)
  package static let timedOut = Errno(rawValue: ETIMEDOUT)
  package static let noDevice = Errno(rawValue: ENODEV)
  package static let tooManyLinks = Errno(rawValue: ELOOP)
  package static let notDirectory = Errno(rawValue: ENOTDIR)
  package static let notImplemented = Errno(rawValue: ENOSYS)
  package static let outOfRange = Errno(rawValue: ERANGE)
  /// Also what leads out of the directory beneath which it was asked for.
  package static let crossDevice = Errno(rawValue: EXDEV)
  package static let tooLarge = Errno(rawValue: EFBIG)
  package static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  package static let addressInUse = Errno(rawValue: EADDRINUSE)
  package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  package static let connectionAborted = Errno(rawValue: ECONNABORTED)
  package static let connectionReset = Errno(rawValue: ECONNRESET)
  package static let noSuchProcess = Errno(rawValue: ESRCH)
  /// Also what opening a socket by its path answers.
  package static let noSuchAddress = Errno(rawValue: ENXIO)
  package static let notTerminal = Errno(rawValue: ENOTTY)
}
