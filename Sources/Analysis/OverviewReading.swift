package import Audio
package import Files
internal import RealTime

extension SurveyedFile {
  /// Reads a range of the file once and returns the levels of each column of the picture.
  ///
  /// - Parameter progress: receives the fraction that was read, 0 to 1.
  package func overview(
    _ order: PictureOrder, _ progress: (Double) -> Void = { _ in }
  ) throws(SoundFileError) -> Overview {
    let range = order.range
    var frames = try PlainFrames(range, of: self, upTo: 16_384)
    let columns = Int(min(Int64(order.columns), (range.upperBound - range.lowerBound).value))
    var meter = LevelMeter(frames.sample, channels: frames.channels, ceiling: frames.ceiling)
    var levels = [[Level]](repeating: [], count: frames.channels.value)
    for column in 0..<max(0, columns) {
      try frames.read(to: Overview.start(of: column + 1, among: columns, in: range), progress) {
        block in
        meter.measure(block)
      }
      Self.take(from: &meter, into: &levels)
    }
    return Overview(levels, of: range, at: frames.rate)
  }

  private static func take(from meter: inout LevelMeter, into levels: inout [[Level]]) {
    var taken = [Level](repeating: .silence, count: levels.count)
    var span = taken.mutableSpan
    _ = meter.take(&span)
    for channel in taken.indices { levels[channel].append(taken[channel]) }
  }
}

/// The frames in a range of a file, read once and in blocks. All streams in the range must have the
/// same rate and the same channels.
///
/// Samples that need no decoding are not converted, because a conversion would take longer than all
/// other work.
struct PlainFrames: ~Copyable {
  /// The format of the samples in each block.
  let format: StreamFormat
  /// The lowest magnitude of a clipped sample.
  let ceiling: Double
  private let file: SurveyedFile
  /// The index of the current stream.
  private var stream = 0
  private var reader: SoundFileReader
  private var block: [UInt8]
  private var position: FrameCount
  private let range: Range<FrameCount>
  private let most: Int

  /// - Parameter most: the largest number of frames in a block.
  init(_ range: Range<FrameCount>, of file: SurveyedFile, upTo most: Int) throws(SoundFileError) {
    var reader = try file.reader(of: 0)
    let format = StreamFormat(
      rate: reader.rate, channels: reader.channels, sample: reader.plainSample ?? .float32)
    var (stream, start) = (0, range.lowerBound)
    while let frames = reader.frames, start >= frames, stream + 1 < file.streamCount {
      start -= frames
      stream += 1
      reader = try file.reader(of: stream, like: format)
    }
    if start > 0 { try reader.seek(to: start) }
    ceiling = Level.ceiling(bits: reader.integerBits)
    block = [UInt8](repeating: 0, count: most * format.bytesPerFrame)
    position = range.lowerBound
    self.range = range
    self.most = most
    self.file = file
    self.format = format
    self.stream = stream
    self.reader = reader
  }

  var channels: ChannelCount { format.channels }
  var rate: SampleRate { format.rate }
  var sample: SampleFormat { format.sample }

  /// Begins to read the next stream. Returns false after the last stream.
  private mutating func beginNext() throws(SoundFileError) -> Bool {
    guard stream + 1 < file.streamCount else { return false }
    stream += 1
    reader = try file.reader(of: stream, like: format)
    return true
  }

  /// Reads the frames before `end` and passes each block to `take`. Reports the fraction of the
  /// range that was read. Throws if the file ends earlier.
  mutating func read(
    to end: FrameCount, _ progress: (Double) -> Void, _ take: (RawSpan) -> Void
  ) throws(SoundFileError) {
    let bytesPerFrame = format.bytesPerFrame
    while position < end {
      let wanted = min(most, Int((end - position).value))
      var count = try reader.readPlain(wanted, into: &block)
      while count == 0, try beginNext() { count = try reader.readPlain(wanted, into: &block) }
      if count == 0 { throw .damaged(subject: "-", expected: range.upperBound, actual: position) }
      take(unsafe block.span.bytes.extracting(first: count * bytesPerFrame))
      position += FrameCount(count)
      let (read, all) = (position - range.lowerBound, range.upperBound - range.lowerBound)
      progress(Double(read.value) / Double(all.value))
    }
  }
}

extension SurveyedFile {
  /// Returns a reader of a stream. Throws if the stream has another format.
  fileprivate func reader(
    of stream: Int, like format: StreamFormat
  ) throws(SoundFileError) -> SoundFileReader {
    let reader = try reader(of: stream)
    guard reader.rate == format.rate, reader.channels == format.channels,
      reader.plainSample ?? .float32 == format.sample
    else {
      throw .notDecoded(
        subject: "-", kind: "a file with parts of different formats", isConvertible: true)
    }
    return reader
  }
}
