internal import Audio
internal import Decoding
internal import Synchronization

/// The decoded frames of a take with a separate file for each track. A frame has the channels of
/// all tracks side by side.
final class TrackFrames: FrameSupply {
  private let supplies: [any FrameSupply]
  private let channels: [Int]
  /// The indexes of the files that have ended.
  private let ended = Mutex<Set<Int>>([])
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
    for (index, (supply, count)) in zip(supplies, channels).enumerated() {
      let size = count * Self.bytesPerSample
      var block = [UInt8](repeating: 0, count: frames * size)
      let read = try supply.read(into: &block) / size
      if read < frames { ended.withLock { _ = $0.insert(index) } }
      frames = read
      for frame in 0..<frames {
        let start = frame * width + first
        bytes.replaceSubrange(
          start..<start + size, with: block[frame * size..<(frame + 1) * size])
      }
      first += size
    }
    return frames * width
  }

  func finish() throws {
    let ended = ended.withLock { $0 }
    let complete = supplies.indices.filter { ended.isEmpty || ended.contains($0) }
    // The decoder of a longer file would wait forever for a reader of its remaining frames.
    for index in supplies.indices where !complete.contains(index) { supplies[index].abandon() }
    for index in complete { try supplies[index].finish() }
  }

  func abandon() { for supply in supplies { supply.abandon() } }
}
