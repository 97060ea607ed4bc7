internal import Audio
internal import Decoding

/// The decoded frames of a take with a separate file for each track. A frame has the channels of
/// all tracks side by side.
final class TrackFrames: FrameSupply {
  private let supplies: [any FrameSupply]
  private let channels: [Int]
  /// Decoded frames are 32-bit integers or floats.
  private static let bytesPerSample = 4

  /// Opens a decoder for each file.
  ///
  /// - Parameter channels: the number of channels of each file.
  init(_ channels: [ChannelCount], by open: (_ index: Int, ChannelCount) throws -> any FrameSupply)
    throws
  {
    self.channels = channels.map(\.value)
    supplies = try channels.enumerated().map { try open($0, $1) }
  }

  /// Returns the properties of the first file. The other files have the same format.
  func head() throws -> DecodedHead {
    let heads = try supplies.map { try $0.head() }
    return heads[0]
  }

  /// Fills `bytes` with whole frames, up to the end of the shortest file.
  func read(into bytes: inout [UInt8]) throws -> Int {
    let width = channels.reduce(0, +) * Self.bytesPerSample
    var (frames, first) = (bytes.count / width, 0)
    for (supply, count) in zip(supplies, channels) {
      let size = count * Self.bytesPerSample
      var block = [UInt8](repeating: 0, count: frames * size)
      frames = min(frames, try supply.read(into: &block) / size)
      for frame in 0..<frames {
        let start = frame * width + first
        bytes.replaceSubrange(
          start..<start + size, with: block[frame * size..<(frame + 1) * size])
      }
      first += size
    }
    return frames * width
  }

  /// Throws the error of a decoder that has no more frames. Ends the decoder of a longer file, which
  /// would wait forever for a reader of its remaining frames.
  func finish() throws {
    for (supply, count) in zip(supplies, channels) {
      var frame = [UInt8](repeating: 0, count: count * Self.bytesPerSample)
      if try supply.read(into: &frame) == 0 {
        try supply.finish()
      } else {
        supply.abandon()
      }
    }
  }

  func abandon() { for supply in supplies { supply.abandon() } }
}
