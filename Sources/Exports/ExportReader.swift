internal import Audio
internal import Decoding
internal import Linux
internal import RealTime

/// The decoded frames of an export, in blocks of the requested size.
final class ExportReader {
  /// Opens a decoder of the source for an order, beginning at a frame.
  typealias Decoder =
    (_ order: DecodeOrder, _ first: FrameCount) throws -> any FrameSupply

  /// The sample format of the decoded frames: 32-bit integers or floats.
  let decoded: SampleFormat
  /// The index of the next frame.
  private(set) var position: FrameCount
  /// The frames of the last read.
  private(set) var block: [UInt8] = []
  private let supply: any FrameSupply
  private let bytesPerFrame: Int
  /// The number of frames in the next block, unless the end comes before.
  var size = ExportReader.mostFrames

  /// The usual number of frames in a block, small enough for the processor's cache.
  static let mostFrames = 4_096

  /// Starts to decode at the first frame of a layout.
  convenience init(_ decoder: Decoder, _ layout: ExportLayout) throws {
    try self.init(
      decoder, layout.stream, keepsIntegers: layout.keepsIntegers, from: layout.range.lowerBound)
  }

  /// Starts to decode at a frame of a stream.
  init(
    _ decoder: Decoder, _ stream: StreamFormat, keepsIntegers: Bool = false,
    from first: FrameCount = 0
  ) throws {
    var order = DecodeOrder(name: "-", format: stream)
    order.samples = keepsIntegers ? .integers : .floats
    order.isPrecise = true
    position = first
    (supply, decoded) = try readingSource {
      let supply = try decoder(order, first)
      return (supply, try supply.head().sample)
    }
    bytesPerFrame = order.decoded(decoded).bytesPerFrame
  }

  /// Reads frames up to `end`, at most one block, into `block`. Throws if there are fewer frames.
  func read(upTo end: FrameCount) throws {
    let count = min(size, Int((end - position).value))
    if block.count != count * bytesPerFrame {
      block = Array(repeating: 0, count: count * bytesPerFrame)
    }
    try readingSource {
      guard try supply.read(into: &block) == block.count else {
        try supply.finish()
        throw DecodingError.incomplete
      }
    }
    position += FrameCount(count)
  }

  /// The frames of the last read as floats.
  var floats: [Float] {
    // A local variable, because the bytes of a property cannot be borrowed.
    let bytes = block
    var floats = [Float](repeating: 0, count: bytes.count / decoded.bytesPerSample)
    var room = floats.mutableSpan
    SampleConversion(from: decoded, to: .float32).convert(unsafe bytes.span.bytes, into: &room)
    return floats
  }

  /// Ends the decoder and drops its remaining frames.
  func end() { supply.abandon() }
}

/// An error that was found while the source of an export was read, not while a file was written.
package struct SourceError: Error {
  /// The decoder's error.
  package let cause: any Error
}

/// Runs a call that reads the source of an export, and throws its error as a `SourceError`.
func readingSource<Value>(_ call: () throws -> Value) throws(SourceError) -> Value {
  try mapError(SourceError.init, call)
}
