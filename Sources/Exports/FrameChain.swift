internal import Audio
internal import Decoding

/// The decoded frames of one file or of several, one after another. Each decoder is opened when the
/// previous decoder has ended.
final class FrameChain {
  /// Opens a decoder of a source, beginning at a frame.
  typealias Opening =
    (_ source: Int, _ first: FrameCount) throws -> any FrameSupply

  private let lengths: [FrameCount]
  private let open: Opening
  private var index = 0
  private var supply: any FrameSupply
  /// The properties of the frames.
  let head: DecodedHead

  /// Opens the file that has the frame `first` of all frames.
  ///
  /// - Parameter lengths: the numbers of decoded frames of all files, at least one.
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

  /// Fills `bytes` as far as possible, and returns the number of bytes. It is smaller than
  /// requested only at the end.
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
