import Audio
import Decoding
import Linux
import Synchronization

/// The test's own decoder. It returns a tenth of a second, and then a fault.
final class BrokenDecoder: FrameSupply {
  private let left: Mutex<Int>

  init(
    _ file: borrowing Descriptor, _ order: DecodeOrder, from first: FrameCount
  ) throws {
    left = Mutex(4_800 * order.decoded(.float32).bytesPerFrame)
  }

  func head() throws -> DecodedHead { DecodedHead(.float32, length: 48_000) }

  func read(into bytes: inout [UInt8]) throws -> Int {
    left.withLock { left in
      let count = min(left, bytes.count)
      left -= count
      return count
    }
  }

  func finish() throws { throw DecodingError.incomplete }
  func abandon() {}
}

/// The test's own decoder. It returns an hour of silence in 16 bits, and in floats from the second
/// start on.
final class ChangingDecoder: FrameSupply {
  private static let starts = Atomic(0)
  private let sample: SampleFormat

  init(
    _ file: borrowing Descriptor, _ order: DecodeOrder, from first: FrameCount
  ) throws {
    sample = Self.starts.add(1, ordering: .relaxed).oldValue == 0 ? .int16 : .float32
  }

  func head() throws -> DecodedHead { DecodedHead(sample, length: 172_800_000) }
  func read(into bytes: inout [UInt8]) throws -> Int { bytes.count }
  func finish() throws {}
  func abandon() {}
}

/// The test's own decoder. It returns an hour of silence in 16 bits.
final class SilentDecoder: FrameSupply {
  init(_ file: borrowing Descriptor, _ order: DecodeOrder, from first: FrameCount) throws {}

  func head() throws -> DecodedHead { DecodedHead(.int16, length: 172_800_000) }
  func read(into bytes: inout [UInt8]) throws -> Int { bytes.count }
  func finish() throws {}
  func abandon() {}
}
