package import Linux

/// The reason that a decision or an audit event was not stored.
package enum StoreFailure: Error, Hashable, Sendable {
  /// The existing files cannot be trusted and are not overwritten.
  case unusable(StoreFault)
  /// Another process held the lock for too long; the path.
  case locked(String)
  case system(SystemError)
  /// Another decision would make the file too large to be read again; the path.
  case full(String)
  /// Another process wrote in spite of the lock; the path and the expected generation.
  case interference(String, expected: UInt64)
}

extension StoreFailure {
  /// Runs a system call and throws its error as a failure.
  static func wrapping<Answer: ~Copyable>(
    _ call: () throws(SystemError) -> Answer
  ) throws(StoreFailure) -> Answer {
    do {
      return try call()
    } catch {
      throw .system(error)
    }
  }
}

extension StoreFailure: CustomStringConvertible {
  /// The failure as a sentence, with its path quoted.
  package var description: String {
    switch self {
    case .unusable(let fault): "what was decided earlier cannot be trusted: \(fault)"
    case .locked(let path): "\(quoted(path)) stayed locked for 5 seconds"
    case .system(let error): error.description
    case .full(let path):
      "\(quoted(path)) would be larger than 64 KiB, and could not be read again"
    case .interference(let path, let generation):
      "\(quoted(path)) was changed by somebody else (generation \(generation) is gone)"
    }
  }
}
