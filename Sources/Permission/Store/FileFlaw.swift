package import Linux

/// What makes a file unfit to decide anything.
package enum FileFlaw: Error, Hashable, Sendable {
  case symbolicLink
  /// A directory, a FIFO, a device or a socket.
  case notRegular
  /// Another user owns it.
  case owner(UInt32)
  /// The group or everybody may write it; the mode.
  case writableByOthers(UInt32)
  /// Somebody may keep a second name for it.
  case links(Int)
  case tooLarge
  case unreadable(SystemError)
}

extension FileFlaw: CustomStringConvertible {
  /// Completes a sentence that begins with the file's name.
  package var description: String {
    switch self {
    case .symbolicLink: "is a symbolic link"
    case .notRegular: "is not a plain file"
    case .owner(let user): "belongs to user \(user)"
    case .writableByOthers(let mode):
      "can be written by other users (mode \(String(mode, radix: 8)))"
    case .links(let count): "has \(count) hard links"
    case .tooLarge: "is larger than 64 KiB"
    case .unreadable(let error): "cannot be read (\(error.function): \(error.errno))"
    }
  }
}
