import Audio
import Dispatch
import Recording
import Support
import Synchronization

/// A file in memory. A test can read its content while it is written.
struct MemoryFile: TakeFile, ~Copyable {
  struct Fault: Error, CustomStringConvertible {
    let description = "the disk is on fire"
  }

  typealias Failure = Fault

  /// The bytes of a file, shared with the test.
  final class Contents: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    private let appended = DispatchSemaphore(value: 0)

    private let noted = Mutex<[PositionedEvent]>([])

    /// The events that were noted in the file while it was written.
    var events: [PositionedEvent] { noted.withLock { $0 } }

    func note(_ event: PositionedEvent) { noted.withLock { $0.append(event) } }

    var count: Int { bytes.withLock { $0.count } }

    var all: [UInt8] { bytes.withLock { $0 } }

    private let refreshed = Mutex(0)
    private let refreshes = DispatchSemaphore(value: 0)

    /// Updates the header, so that it covers the current content.
    func refresh() {
      refreshed.withLock { $0 = count }
      refreshes.signal()
    }

    /// Waits until the header covers `count` bytes.
    func awaitHeader(of count: Int) {
      while refreshed.withLock({ $0 }) < count { refreshes.wait() }
    }

    func append(_ more: [UInt8]) {
      bytes.withLock { $0 += more }
      appended.signal()
    }

    /// Waits until the file has `count` bytes.
    func await(_ count: Int) {
      while self.count < count { appended.wait() }
    }

    /// The numbers of a stereo S16 ramp. The low half of a number comes first in its frame.
    var numbers: [UInt32] {
      all.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
    }
  }

  let stream: StreamFormat
  let contents: Contents
  /// The number of bytes that can be written before every write fails.
  var capacity = Int.max
  /// Whether every refresh fails.
  var cannotRefresh = false
  /// The gate at which a write stalls, or nil if there is none.
  var gate: Gate?

  var bytesWritten: Int64 { Int64(contents.count) }

  mutating func write(_ frames: RawSpan) throws(Fault) {
    gate?.pass()
    guard contents.count + frames.byteCount <= capacity else { throw Fault() }
    contents.append(frames.withUnsafeBytes(Array.init))
  }

  mutating func refresh() throws(Fault) {
    if cannotRefresh { throw Fault() }
    contents.refresh()
  }

  func note(_ event: PositionedEvent) { contents.note(event) }
}

/// The converter of a path that does not change the rate.
struct NoConverter: RateConverter, ~Copyable {
  typealias Failure = MemoryFile.Fault

  mutating func convert(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(MemoryFile.Fault) -> (consumed: Int, produced: Int) { throw MemoryFile.Fault() }

  mutating func drain(into output: inout MutableSpan<Float>) -> Int { 0 }
}
