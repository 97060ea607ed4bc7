internal import CLinux
internal import Glibc

/// A failed system call: its name, its subject and the reason.
package struct SystemError: Error, Hashable, Sendable {
  /// The C function, such as `openat`.
  package let function: String
  /// The path, name or address that the call was about, or nil.
  package let subject: String?
  /// The kernel's reason.
  package let errno: Errno

  /// Creates a failure of the C function `function`. `subject` is usually a path, or nil.
  package init(_ function: String, _ subject: String? = nil, errno: Errno) {
    self.function = function
    self.subject = subject
    self.errno = errno
  }
}

/// Evaluates an expression. If the expression throws an error, throws the error that `map` returns
/// for it.
///
/// The caller need not state the type of the error. A closure would have to state this type.
package func mapError<Result: ~Copyable, Cause: Error, Mapped: Error>(
  _ map: (Cause) -> Mapped, _ expression: @autoclosure () throws(Cause) -> Result
) throws(Mapped) -> Result {
  try mapError(map, expression)
}

/// Runs `body`. If `body` throws an error, throws the error that `map` returns for it.
package func mapError<Result: ~Copyable, Cause: Error, Mapped: Error>(
  _ map: (Cause) -> Mapped, _ body: () throws(Cause) -> Result
) throws(Mapped) -> Result {
  do throws(Cause) {
    return try body()
  } catch {
    throw map(error)
  }
}

/// Returns the result of `call`, or nil if `call` fails because a file does not exist.
package func ifPresent<Result: ~Copyable>(
  _ call: @autoclosure () throws(SystemError) -> Result
) throws(SystemError) -> Result? {
  try unless(.noSuchFile, call())
}

/// Returns the result of `call`, or nil if `call` fails with the error `reason`.
package func unless<Result: ~Copyable>(
  _ reason: Errno, _ call: @autoclosure () throws(SystemError) -> Result
) throws(SystemError) -> Result? {
  do {
    return try call()
  } catch let error where error.errno == reason {
    return nil
  }
}

extension SystemError: CustomStringConvertible {
  /// The error as text, such as `cannot open "/tmp/a": No such file or directory`, or only the
  /// reason if there is no subject and the function has several purposes.
  package var description: String {
    guard let subject else { return (purpose.map { "cannot \($0): " } ?? "") + "\(errno)" }
    return "cannot \(action) \"\(subject)\": \(errno)"
  }

  /// The purpose of the function in a call without a subject, or nil if the function has several
  /// purposes.
  private var purpose: String? {
    switch function {
    case "signalfd", "pthread_sigmask": "wait for signals"
    case "ppoll", "eventfd", "timerfd_create", "timerfd_settime": "wait for events"
    case "inotify_init1": "watch files"
    case "pipe2", "socketpair": "create a pipe"
    case "socket": "create a socket"
    case "getrandom": "create a random name"
    case "posix_spawn": "start a program"
    case "tcgetattr", "tcsetattr", "tcflush": "change the mode of the terminal"
    default: nil
    }
  }

  /// The action of the function on its subject, as a verb.
  private var action: String {
    switch function {
    case "openat", "openat2", "open": "open"
    case "read", "pread", "fdopendir", "readdir", "readlink", "getxattr": "read"
    case "write", "pwrite", "ftruncate", "fsync", "fdatasync", "posix_fallocate": "write"
    case "mkdirat", "mkdir", "memfd_create": "create"
    case "renameat", "renameat2", "linkat": "rename"
    case "unlinkat": "remove"
    case "flock": "lock"
    case "connect": "connect to"
    case "bind", "listen", "fchmod", "socket": "open the socket"
    case "inotify_add_watch": "watch"
    case "pthread_create": "start the thread"
    case "posix_spawn", "execv", "execve": "start"
    case "pidfd_open": "find the process"
    case "pidfd_send_signal", "kill": "signal the process"
    case "waitpid": "wait for the process"
    case "prlimit": "change the limit"
    case "pthread_attr_setschedparam": "set the priority"
    case "fcntl": "copy the descriptor"
    case "getpwuid_r", "getpwnam_r": "find the user"
    case "getgrgid_r", "getgrnam_r": "find the group"
    default: "use"
    }
  }
}

extension SystemError: CustomDebugStringConvertible {
  /// The error with its function, such as `openat "/tmp/a": No such file or directory`.
  package var debugDescription: String {
    subject.map { "\(function) \"\($0)\": \(errno)" } ?? "\(function): \(errno)"
  }
}

/// Runs a call that returns −1 on failure. Repeats the call if a signal interrupts it. Throws any
/// other error of the call.
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

/// Throws if `code`, the result of a C function, is an error number. The pthread functions, for
/// example, return the error number, and do not set `errno`.
package func requireZero(
  _ function: String, on subject: @autoclosure () -> String? = nil, _ code: Int32
) throws(SystemError) {
  guard code != 0 else { return }
  throw SystemError(function, subject(), errno: Errno(rawValue: code))
}

/// An error number of the kernel or the C library.
package struct Errno: RawRepresentable, Hashable, Error, Sendable {
  /// The number in `<errno.h>`, above 0.
  package let rawValue: CInt

  /// Creates an error from any number.
  package init(rawValue: CInt) { self.rawValue = rawValue }

  /// The error of the last failed call in this thread. Read it immediately after the call.
  package static var last: Errno { Errno(rawValue: errno) }
}

extension Errno: CustomStringConvertible {
  /// The message of the C library, never translated.
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
  /// EEXIST: the name is already in use.
  package static let exists = Errno(rawValue: EEXIST)
  /// EPERM: the call needs a privileged process, or a filter forbids it.
  package static let notPermitted = Errno(rawValue: EPERM)
  /// EACCES: the permissions of the file, or of a directory on its path, forbid it.
  package static let accessDenied = Errno(rawValue: EACCES)
  /// EAGAIN: a non-blocking call would have to wait.
  package static let wouldBlock = Errno(rawValue: EAGAIN)
  /// EINVAL: an argument is not valid. This target also uses it for a path with a NUL.
  package static let invalid = Errno(rawValue: EINVAL)
  /// EILSEQ: the bytes are not valid in the expected encoding.
  package static let illegalSequence = Errno(rawValue: EILSEQ)
  /// EMFILE: the process has reached its limit of open files.
  package static let tooManyFiles = Errno(rawValue: EMFILE)
  /// EBUSY: another process uses the file or the device.
  package static let busy = Errno(rawValue: EBUSY)
  /// ENOSPC: the filesystem is full.
  package static let noSpace = Errno(rawValue: ENOSPC)
  /// EDQUOT: the user has written as much as the filesystem allows.
  package static let quota = Errno(rawValue: EDQUOT)
  /// EIO: the disk or the device failed.
  package static let inputOutput = Errno(rawValue: EIO)
  /// EROFS: the filesystem is mounted read-only.
  package static let readOnlyFilesystem = Errno(rawValue: EROFS)
  /// EPIPE: the other end of the pipe or socket is closed.
  package static let brokenPipe = Errno(rawValue: EPIPE)
  /// ETIMEDOUT: the other side did not answer in time. This target also uses it for its own time
  /// limits.
  package static let timedOut = Errno(rawValue: ETIMEDOUT)
  /// ENODEV: the device no longer exists.
  package static let noDevice = Errno(rawValue: ENODEV)
  /// ELOOP: the path has too many symbolic links, or it was opened with `noFollow` and ends with a
  /// symbolic link.
  package static let tooManyLinks = Errno(rawValue: ELOOP)
  /// ENOTDIR: a component of the path is not a directory.
  package static let notDirectory = Errno(rawValue: ENOTDIR)
  /// ENOSYS: the kernel does not have the call.
  package static let notImplemented = Errno(rawValue: ENOSYS)
  /// EXDEV: the two paths are on different filesystems, or a path leads out of the directory below
  /// which it was opened.
  package static let crossDevice = Errno(rawValue: EXDEV)
  /// EFBIG: the file would exceed a limit. This target also uses it if there are more bytes than
  /// allowed.
  package static let tooLarge = Errno(rawValue: EFBIG)
  /// ENAMETOOLONG: the name or the path is longer than the filesystem allows.
  package static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  /// EADDRINUSE: the socket's path already exists.
  package static let addressInUse = Errno(rawValue: EADDRINUSE)
  /// ECONNREFUSED: no process listens on the socket.
  package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  /// ECONNABORTED: the peer gave up before the connection was accepted.
  package static let connectionAborted = Errno(rawValue: ECONNABORTED)
  /// ECONNRESET: the peer closed the socket before it had read all bytes.
  package static let connectionReset = Errno(rawValue: ECONNRESET)
  /// ESRCH: no process has this number.
  package static let noSuchProcess = Errno(rawValue: ESRCH)
  /// ENXIO: no such device or address. The kernel also returns it if a socket is opened by its
  /// path.
  package static let noSuchAddress = Errno(rawValue: ENXIO)
}
