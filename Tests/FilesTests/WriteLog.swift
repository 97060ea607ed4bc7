import Foundation
import Synchronization

@testable import Files

/// The writes of a file: an optional fault at the n-th, and the bytes that reached the file.
final class WriteLog: Sendable {
  enum Fault: Sendable {
    case error(CInt)
    /// Half of the bytes are written, which is not a failure.
    case short
  }

  private struct State {
    var attempts = 0
    var writes: [(offset: Int64, bytes: [UInt8])] = []
  }

  private let fault: Fault?
  private let attempt: Int
  private let isSticky: Bool
  private let state = Mutex(State())

  init(_ fault: Fault? = nil, at attempt: Int = 0, isSticky: Bool = false) {
    self.fault = fault
    self.attempt = attempt
    self.isSticky = isSticky
  }

  /// The number of writes that reached the file.
  var count: Int { state.withLock { $0.writes.count } }

  /// The number of attempted writes.
  var attempts: Int { state.withLock { $0.attempts } }

  /// Returns the file after `count` writes.
  func replay(_ count: Int) -> [UInt8] {
    state.withLock { state in
      state.writes.prefix(count).reduce(into: []) { file, write in
        let end = Int(write.offset) + write.bytes.count
        if end > file.count { file += Array(repeating: 0, count: end - file.count) }
        file.replaceSubrange(Int(write.offset)..<end, with: write.bytes)
      }
    }
  }

  var calls: FileCalls {
    var calls = FileCalls()
    calls.write = { [self] number, bytes, offset in
      let all = bytes.withUnsafeBytes { Array($0) }
      let taken: [UInt8]
      switch nextFault() {
      case nil: taken = all
      case .short: taken = Array(all.prefix(max(1, all.count / 2)))
      case .error(let code):
        errno = code
        return -1
      }
      state.withLock { $0.writes.append((offset, taken)) }
      return pwrite(number, taken, taken.count, off_t(offset))
    }
    return calls
  }

  private func nextFault() -> Fault? {
    state.withLock { state in
      state.attempts += 1
      let isDue = isSticky ? state.attempts >= attempt : state.attempts == attempt
      return isDue ? fault : nil
    }
  }
}
