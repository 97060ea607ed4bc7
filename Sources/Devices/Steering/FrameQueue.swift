internal import Audio
internal import RealTime

/// A queue of frames that were read from a device but not used yet. The samples are floats, stored
/// in a separate row for each channel. The frames are numbered from the first frame that was ever
/// appended.
///
/// If the queue has fewer channels than the device, `ChannelMap` mixes the device's channels.
struct FrameQueue: Sendable {
  /// The number of the first frame.
  private(set) var first = 0
  private(set) var count = 0
  private let format: StreamFormat
  private let conversion: SampleConversion
  private let map: ChannelMap
  private let capacity: Int
  /// The position of the first frame in the row of each channel.
  private var start = 0
  private var samples: [Float]
  private var bytes: [UInt8]
  private var floats: [Float]
  private var mapped: [Float]

  /// The largest number of frames that are appended in one step.
  private static var block: Int { 1_024 }

  /// An empty queue for at least `capacity` frames of a format, with this number of channels.
  init(capacity: FrameCount, of format: StreamFormat, keeping channels: ChannelCount) {
    self.format = format
    map = ChannelMap(from: format.channels, to: channels)
    conversion = SampleConversion(from: format.sample, to: .float32)
    self.capacity = Int(capacity.value) + 2 * Self.block
    samples = [Float](repeating: 0, count: self.capacity * channels.value)
    bytes = [UInt8](repeating: 0, count: Self.block * format.bytesPerFrame)
    floats = [Float](repeating: 0, count: Self.block * format.channels.value)
    mapped = [Float](repeating: 0, count: Self.block * channels.value)
  }

  /// The number that the next appended frame gets.
  var end: Int { first + count }

  /// Whether another block can be appended.
  var hasRoom: Bool { count <= capacity - Self.block }

  /// The samples of all channels. Use `index` to find a sample.
  var contents: Span<Float> { @_lifetime(borrow self) get { samples.span } }

  /// Returns the index of a sample in `contents`.
  func index(of frame: Int, channel: Int) -> Int { channel * capacity + start + frame - first }

  /// Reads at most one block from a source. The frames are in the queue only after a call of
  /// `append`. Returns nil if there is no source.
  mutating func read<Source: FrameSource & ~Copyable>(
    from source: inout Source?
  ) throws(Source.Failure) -> FramesRead? {
    var span = bytes.mutableSpan
    var room = unsafe span.mutableBytes
    return try source?.read(into: &room)
  }

  /// Appends the first frames of the last block that was read.
  mutating func append(_ added: Int) {
    makeRoom(for: added)
    let (format, map) = (format, map)
    var (floats, mapped): ([Float], [Float]) = ([], [])
    swap(&floats, &self.floats)
    swap(&mapped, &self.mapped)
    conversion.convert(
      unsafe bytes.span.bytes.extracting(first: added * format.bytesPerFrame), into: &floats)
    var target = mapped.mutableSpan
    map.apply(to: floats.span.extracting(first: added * format.channels.value), into: &target)
    let channels = map.targets.value
    for channel in 0..<channels {
      let start = index(of: end, channel: channel)
      for frame in 0..<added { samples[start + frame] = mapped[frame * channels + channel] }
    }
    swap(&floats, &self.floats)
    swap(&mapped, &self.mapped)
    count += added
  }

  /// Appends silent frames, at most one block, and returns their number.
  mutating func appendSilence(upTo limit: Int) -> Int {
    let added = min(limit, Self.block)
    makeRoom(for: added)
    for channel in 0..<map.targets.value {
      let target = index(of: end, channel: channel)
      for frame in 0..<added { samples[target + frame] = 0 }
    }
    count += added
    return added
  }

  /// Leaves out the next `skipped` frame numbers. The queue must be empty.
  mutating func skip(_ skipped: Int) { first += skipped }

  /// Removes the frames whose number is less than `number`.
  mutating func drop(before number: Int) {
    let dropped = min(max(0, number - first), count)
    first += dropped
    count -= dropped
    start += dropped
  }

  /// Moves the frames to the start of each row if there is no room at the end of the rows.
  private mutating func makeRoom(for added: Int) {
    guard start + count + added > capacity else { return }
    for channel in 0..<map.targets.value {
      let base = channel * capacity
      for frame in 0..<count { samples[base + frame] = samples[base + start + frame] }
    }
    start = 0
  }
}
