package import Linux

/// Why a decision could not be stored, or an event not be written.
package enum StoreFailure: Error, Hashable, Sendable {
  /// What is there is not trusted, and never written over.
  case unusable(StoreFault)
  /// Another process held the lock for longer than anybody needs it.
  case locked(String)
  case system(SystemError)
  /// One decision more would make the file larger than it may be to be read.
  case full(String)
  /// Somebody wrote at the same time in spite of the lock; the generation that was expected.
  case interference(String, expected: UInt64)
}

extension StoreFailure {
  /// Runs a call of the system.
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
