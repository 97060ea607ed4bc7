internal import Audio
internal import Decoding
internal import Linux
internal import RealTime

/// The decoded frames of an export, in blocks of the requested size.
final class ExportReader {
  /// Opens the decoders of the sources. `order` is the request to decode, and `first` is the first
  /// frame.
  typealias Decoder =
    (_ order: DecodeOrder, _ first: FrameCount) throws -> FrameChain

  /// The sample format of the decoded frames: 32-bit integers or floats.
  let decoded: SampleFormat
  /// The index of the next frame.
  private(set) var position: FrameCount
  /// The frames of the last read.
  private(set) var block: [UInt8] = []
  private let supply: FrameChain
  /// The size of a decoded frame, before `map` is applied.
  private let bytesPerFrame: Int
  private let map: ChannelMap?
  /// The maximum number of frames in the next block. The last block may be smaller.
  var size = ExportReader.mostFrames

  /// The default number of frames in a block. Such a block fits into the processor's cache.
  static let mostFrames = 4_096

  /// Starts to decode at the first frame of a layout.
  convenience init(_ decoder: Decoder, _ layout: ExportLayout) throws {
    try self.init(
      decoder, layout.stream, layout.map, keepsIntegers: layout.keepsIntegers,
      from: layout.range.lowerBound)
  }

  /// Starts to decode at a frame of a stream. If a map is given, it is applied to the decoded
  /// channels.
  init(
    _ decoder: Decoder, _ stream: StreamFormat, _ map: ChannelMap? = nil,
    keepsIntegers: Bool = false, from first: FrameCount = 0
  ) throws {
    var stream = stream
    stream.channels = map?.sources ?? stream.channels
    var order = DecodeOrder(name: "-", format: stream)
    order.samples = keepsIntegers ? .integers : .floats
    order.isPrecise = true
    position = first
    supply = try readingSource { try decoder(order, first) }
    decoded = supply.head.sample
    bytesPerFrame = order.decoded(decoded).bytesPerFrame
    self.map = map
  }

  /// Reads frames up to `end`, at most one block, into `block`. Throws if the source has fewer
  /// frames.
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
    if let map { block = map.applied(to: block, of: decoded) }
  }

  /// The frames of the last read as floats.
  var floats: [Float] {
    // A local variable, because the bytes of a property cannot be borrowed.
    let bytes = block
    return SampleConversion(from: decoded, to: .float32).converted(unsafe bytes.span.bytes)
  }

  /// Ends the decoder and drops its remaining frames.
  func end() { supply.abandon() }
}

/// An error that occurred while the source of an export was read, not while a file was written.
package struct SourceError: Error {
  /// The decoder's error.
  package let cause: any Error
  /// The index of the file among all files of the source.
  package let file: Int
}

/// Runs a call that reads the source of an export, and throws its error as a `SourceError`.
///
/// - Parameter file: the index of the file. It is not used for an error that is already a
///   `SourceError`.
func readingSource<Value>(
  _ file: Int = 0, _ call: () throws -> Value
) throws(SourceError) -> Value {
  try mapError({ $0 as? SourceError ?? SourceError(cause: $0, file: file) }, call)
}

/// A decoder that adds the index of its file to its errors.
final class SourceFrames: FrameSupply {
  private let file: Int
  private let supply: any FrameSupply

  init(of file: Int, by open: () throws -> any FrameSupply) throws {
    self.file = file
    supply = try readingSource(file, open)
  }

  func head() throws -> DecodedHead { try readingSource(file, supply.head) }

  func read(into bytes: inout [UInt8]) throws -> Int {
    try readingSource(file) { try supply.read(into: &bytes) }
  }

  func finish() throws { try readingSource(file, supply.finish) }

  func abandon() { supply.abandon() }
}

extension ChannelMap {
  /// Returns the frames with the map applied. A map that mixes channels requires floats.
  fileprivate func applied(to frames: [UInt8], of sample: SampleFormat) -> [UInt8] {
    let size = frames.count / sources.value * targets.value
    guard isSelection else {
      let same = SampleConversion(from: .float32, to: .float32)
      let floats: [Float] = same.converted(unsafe frames.span.bytes)
      var mixed = [Float](repeating: 0, count: size / sample.bytesPerSample)
      var output = mixed.mutableSpan
      apply(to: floats.span, into: &output)
      return same.converted(unsafe mixed.span.bytes)
    }
    var mapped = [UInt8](repeating: 0, count: size)
    var span = mapped.mutableSpan
    var room = unsafe span.mutableBytes
    unsafe select(from: frames.span.bytes, bytesPerSample: sample.bytesPerSample, into: &room)
    return mapped
  }
}
