import Audio
import Recording
import Synchronization

/// A file in memory; what it holds can be looked at while it is written.
struct MemoryFile: TakeFile, ~Copyable {
  struct Fault: Error, CustomStringConvertible {
    let description = "the disk is on fire"
  }

  typealias Failure = Fault

  /// The bytes of a file, shared with the test.
  final class Contents: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    var all: [UInt8] { bytes.withLock { $0 } }

    func append(_ more: [UInt8]) { bytes.withLock { $0 += more } }

    /// The numbers of a stereo S16 ramp, a frame's low half first.
    var numbers: [UInt32] {
      let all = all
      return stride(from: 0, to: all.count, by: 4).map { start in
        (0..<4).reduce(0) { $0 | UInt32(all[start + $1]) << (8 * UInt32($1)) }
      }
    }
  }

  let stream: StreamFormat
  let contents: Contents
  /// Bytes after which every write fails.
  var capacity = Int.max

  var bytesWritten: Int64 { Int64(contents.all.count) }

  mutating func write(_ frames: RawSpan) throws(Fault) {
    guard contents.all.count + frames.byteCount <= capacity else { throw Fault() }
    contents.append(frames.withUnsafeBytes(Array.init))
  }

  mutating func refresh() {}
}

/// Stands where no rate is changed.
struct NoConverter: RateConverter, ~Copyable {
  typealias Failure = MemoryFile.Fault

  mutating func convert(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(MemoryFile.Fault) -> (consumed: Int, produced: Int) { throw MemoryFile.Fault() }

  mutating func drain(into output: inout MutableSpan<Float>) -> Int { 0 }
}
