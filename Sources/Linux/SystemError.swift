internal import CLinux
internal import Glibc

/// A system call that failed: its name, its subject and the reason.
package struct SystemError: Error, Hashable, Sendable {
  /// The C function, such as `openat`.
  package let function: String
  /// The path, name or address that it was about, where there is one.
  package let subject: String?
  /// The kernel's reason.
  package let errno: Errno

  /// A failure of the C function `function` on `subject`, a path as a rule; nil where there is
  /// none.
  package init(_ function: String, _ subject: String? = nil, errno: Errno) {
    self.function = function
    self.subject = subject
    self.errno = errno
  }
}

extension SystemError: CustomStringConvertible {
  /// `openat "/tmp/a": No such file or directory`.
  package var description: String {
    subject.map { "\(function) \"\($0)\": \(errno)" } ?? "\(function): \(errno)"
  }
}

/// Runs a call that answers −1 on failure, again after each interruption, and throws its error.
@discardableResult
package func checked<Result: SignedInteger>(
  _ function: String, _ subject: @autoclosure () -> String? = nil, _ call: () -> Result
) throws(SystemError) -> Result {
  while true {
    let result = call()
    guard result == -1 else { return result }
    let reason = Errno.last
    if reason != .interrupted { throw SystemError(function, subject(), errno: reason) }
  }
}

/// Throws for a call that answers its error number instead of setting `errno`, as the pthread
/// family does.
package func requireZero(
  _ function: String, on subject: @autoclosure () -> String? = nil, _ code: Int32
) throws(SystemError) {
  guard code != 0 else { return }
  throw SystemError(function, subject(), errno: Errno(rawValue: code))
}

/// An error number of the kernel or the C library.
package struct Errno: RawRepresentable, Hashable, Error, Sendable {
  /// The number of `<errno.h>`, above 0.
  package let rawValue: CInt

  /// An error by its number, known or not.
  package init(rawValue: CInt) { self.rawValue = rawValue }

  /// The error of this thread's last failed call; read it on the very next line.
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
  /// EINTR: a signal handler ran during the call.
  package static let interrupted = Errno(rawValue: EINTR)
  /// ENOENT: the file, or a directory on its path, does not exist.
  package static let noSuchFile = Errno(rawValue: ENOENT)
  /// EEXIST: the name is taken already.
  package static let exists = Errno(rawValue: EEXIST)
  /// EPERM: only a privileged process may do it, or a filter forbids the call.
  package static let notPermitted = Errno(rawValue: EPERM)
  /// EACCES: the permissions of the file, or of a directory on its path, forbid it.
  package static let accessDenied = Errno(rawValue: EACCES)
  /// EAGAIN: a non-blocking call would have to wait.
  package static let wouldBlock = Errno(rawValue: EAGAIN)
  /// EINVAL: an argument is not valid here; also our own answer to a path with a NUL.
  package static let invalid = Errno(rawValue: EINVAL)
  /// The bytes are no text in the expected encoding.
  package static let illegalSequence = Errno(rawValue: EILSEQ)
  /// EBUSY: somebody else uses the file or the device.
  package static let busy = Errno(rawValue: EBUSY)
  /// ENOSPC: the filesystem is full.
  package static let noSpace = Errno(rawValue: ENOSPC)
  /// EDQUOT: the user has written as much as the filesystem allows.
  package static let quota = Errno(rawValue: EDQUOT)
  /// EIO: the disk or the device failed.
  package static let inputOutput = Errno(rawValue: EIO)
  /// EROFS: the filesystem is mounted for reading alone.
  package static let readOnlyFilesystem = Errno(rawValue: EROFS)
  /// EPIPE: the other end of the pipe or socket is closed.
  package static let brokenPipe = Errno(rawValue: EPIPE)
  /// ETIMEDOUT: the other side did not answer in time.
  package static let timedOut = Errno(rawValue: ETIMEDOUT)
  /// ENODEV: the device does not exist any more.
  package static let noDevice = Errno(rawValue: ENODEV)
  /// ELOOP: too many symbolic links, or one at the end of a path opened with `noFollow`.
  package static let tooManyLinks = Errno(rawValue: ELOOP)
  /// ENOTDIR: a component of the path is not a directory.
  package static let notDirectory = Errno(rawValue: ENOTDIR)
  /// ENOSYS: the kernel does not have the call.
  package static let notImplemented = Errno(rawValue: ENOSYS)
  /// ERANGE: the result does not fit.
  package static let outOfRange = Errno(rawValue: ERANGE)
  /// EXDEV: two filesystems, or a path that leads out of the directory beneath which it was opened.
  package static let crossDevice = Errno(rawValue: EXDEV)
  /// EFBIG: the file would exceed a limit; also our own answer to more bytes than were asked for.
  package static let tooLarge = Errno(rawValue: EFBIG)
  /// ENAMETOOLONG: the name or the path is longer than the filesystem allows.
  package static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  /// EADDRINUSE: the socket's path exists already.
  package static let addressInUse = Errno(rawValue: EADDRINUSE)
  /// ECONNREFUSED: nobody listens on the socket.
  package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  /// ECONNABORTED: the peer gave up before the connection was accepted.
  package static let connectionAborted = Errno(rawValue: ECONNABORTED)
  /// ECONNRESET: the peer closed the socket with bytes unread.
  package static let connectionReset = Errno(rawValue: ECONNRESET)
  /// ESRCH: no process has this number.
  package static let noSuchProcess = Errno(rawValue: ESRCH)
  /// ENXIO: no such device or address; also the answer to opening a socket by its path.
  package static let noSuchAddress = Errno(rawValue: ENXIO)
  /// ENOTTY: the descriptor is not a terminal, or does not have this control.
  package static let notTerminal = Errno(rawValue: ENOTTY)
}
