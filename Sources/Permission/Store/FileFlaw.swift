package import Linux

/// The flaw that makes a file unfit to decide anything.
package enum FileFlaw: Error, Hashable, Sendable {
  case symbolicLink
  /// A directory, a FIFO, a device or a socket.
  case notRegular
  /// The file belongs to this other user.
  case owner(UInt32)
  /// The group or everybody can write the file; the mode.
  case writableByOthers(UInt32)
  /// Somebody may keep another name for the file; the number of links.
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
