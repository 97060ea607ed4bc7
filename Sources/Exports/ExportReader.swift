internal import Audio
internal import Decoding
internal import RealTime

/// The decoded frames of an export, in blocks of the size that is asked for.
final class ExportReader {
  /// Opens a decoder of the source for an order, from a frame on.
  typealias Decoder =
    (_ order: DecodeOrder, _ first: FrameCount) throws(DecodingError) -> any FrameSupply

  /// The samples of the frames: integers of 32 bits or floats.
  let decoded: SampleFormat
  /// The next frame.
  private(set) var place: FrameCount
  /// The frames of the last read.
  private(set) var block: [UInt8] = []
  private let supply: any FrameSupply
  private let bytesPerFrame: Int
  /// The frames of the next block, unless the end comes before.
  var size = ExportReader.mostFrames

  /// Most frames of a block, few enough to stay in the processor's cache.
  static let mostFrames = 4_096

  /// Begins to decode at the first frame of a layout.
  convenience init(_ decoder: Decoder, _ layout: ExportLayout) throws(ExportError) {
    try self.init(
      decoder, layout.stream, keepsIntegers: layout.keepsIntegers, from: layout.range.lowerBound)
  }

  /// Begins to decode at a frame of a stream.
  init(
    _ decoder: Decoder, _ stream: StreamFormat, keepsIntegers: Bool = false,
    from first: FrameCount = 0
  ) throws(ExportError) {
    var order = DecodeOrder(name: "-", format: stream)
    order.samples = keepsIntegers ? .integers : .floats
    order.isPrecise = true
    place = first
    do throws(DecodingError) {
      supply = try decoder(order, first)
      decoded = try supply.head().sample
      bytesPerFrame = order.decoded(decoded).bytesPerFrame
    } catch {
      throw .decoding(error)
    }
  }

  /// Reads frames up to `end`, at most a block, into `block`; throws where there are fewer.
  func read(upTo end: FrameCount) throws(ExportError) {
    let count = min(size, Int((end - place).value))
    if block.count != count * bytesPerFrame {
      block = Array(repeating: 0, count: count * bytesPerFrame)
    }
    do throws(DecodingError) {
      guard try supply.read(into: &block) == block.count else {
        try supply.finish()
        throw .incomplete
      }
    } catch {
      throw .decoding(error)
    }
    place += FrameCount(count)
  }

  /// The frames of the last read as floats.
  var floats: [Float] {
    // A variable of its own lends its bytes, and a property does not.
    let bytes = block
    var floats = [Float](repeating: 0, count: bytes.count / decoded.bytesPerSample)
    var room = floats.mutableSpan
    SampleConversion(from: decoded, to: .float32).convert(unsafe bytes.span.bytes, into: &room)
    return floats
  }

  /// Ends the decoder, whose other frames are not wanted.
  func end() { supply.abandon() }
}
