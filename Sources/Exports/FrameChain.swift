internal import Audio
internal import Decoding

/// The decoded frames of one or several sources, one after another. Each decoder is opened when the
/// previous decoder has ended.
final class FrameChain {
  /// Opens the decoder of a source. The decoder begins at the frame `first`.
  typealias Opening =
    (_ source: Int, _ first: FrameCount) throws -> any FrameSupply

  private let lengths: [FrameCount]
  private let open: Opening
  private var index = 0
  private var supply: any FrameSupply
  /// The properties of the frames.
  let head: DecodedHead

  /// Opens the source that contains the frame `first`, counted from the beginning of the first
  /// source.
  ///
  /// - Parameter lengths: the number of decoded frames of each source. There is at least one
  ///   source.
  init(_ lengths: [FrameCount], from first: FrameCount, by open: @escaping Opening) throws {
    var (index, start) = (0, first)
    while index + 1 < lengths.count, start >= lengths[index] {
      start -= lengths[index]
      index += 1
    }
    self.lengths = lengths
    self.open = open
    self.index = index
    supply = try open(index, start)
    head = try supply.head()
  }

  /// Reads frames into `bytes`, and returns the number of bytes read. Reads less than the size of
  /// `bytes` only at the end of the last source.
  func read(into bytes: inout [UInt8]) throws -> Int {
    var count = try supply.read(into: &bytes)
    while count < bytes.count, index + 1 < lengths.count {
      try supply.finish()
      index += 1
      supply = try open(index, 0)
      _ = try supply.head()
      var rest = [UInt8](repeating: 0, count: bytes.count - count)
      let added = try supply.read(into: &rest)
      bytes.replaceSubrange(count..<count + added, with: rest[..<added])
      count += added
    }
    return count
  }

  /// Throws the error that the last decoder found in its file.
  func finish() throws { try supply.finish() }

  /// Ends the decoder and drops its remaining frames.
  func abandon() { supply.abandon() }
}
