internal import Analysis
internal import Audio
internal import Decoding
internal import Linux
internal import RealTime

extension SoundLevels {
  /// Measures the frames of a layout after a change of their level.
  ///
  /// - Parameter progress: receives the completed fraction, 0 to 1, and throws to stop.
  init(
    of layout: ExportLayout, after change: LevelChange, by decoder: ExportReader.Decoder,
    progress: (Double) throws -> Void
  ) throws {
    let frames = try LoudFrames(layout, change, by: decoder)
    defer { frames.end() }
    let measurement = try SoundMeasurement(layout.stream)
    var position = layout.range.lowerBound
    while position < layout.range.upperBound {
      let count = Int(min((layout.range.upperBound - position).value, 16_384))
      try measurement.add(try frames.read(count))
      position += FrameCount(count)
      try progress(layout.share(before: position))
    }
    if let refusal = measurement.refusal { throw refusal }
    self = measurement.finish()
  }

  /// Measures all frames of a file. The decoder must supply floats.
  init(of supply: any FrameSupply, _ stream: StreamFormat) throws {
    let measurement = try SoundMeasurement(stream)
    _ = try supply.head()
    var bytes = [UInt8](repeating: 0, count: 16_384 * stream.channels.value * 4)
    var count = bytes.count
    while count == bytes.count {
      count = try supply.read(into: &bytes)
      let floats: [Float] = SampleConversion(from: .float32, to: .float32).converted(
        unsafe bytes.span.bytes.extracting(first: count))
      if (try? measurement.add(floats)) == nil { throw DecodingError.incomplete }
    }
    try supply.finish()
    self = measurement.finish()
  }
}

extension ExportLayout {
  /// The level below which the beginning and the end of a sound are silence: −60 dBFS. Full scale
  /// is 1.
  private static let silence: Float = 0.001
  /// The length of the silence to keep before and after the sound, so that the sound does not begin
  /// or end abruptly.
  private static let margin = Duration.milliseconds(50)

  /// Returns the range of frames without the silence at both ends.
  ///
  /// - Parameter progress: receives the completed fraction, 0 to 1, and throws to stop.
  func trimmed(
    by decoder: ExportReader.Decoder, progress: (Double) throws -> Void
  ) throws -> Range<FrameCount> {
    let reader = try ExportReader(decoder, self)
    defer { reader.end() }
    var first: FrameCount?
    var last = range.lowerBound
    let channels = stream.channels.value
    while reader.position < range.upperBound {
      let start = reader.position
      try reader.read(upTo: range.upperBound)
      let floats = reader.floats
      if first == nil, let index = floats.firstIndex(where: { abs($0) >= Self.silence }) {
        first = start + FrameCount(index / channels)
      }
      if let index = floats.lastIndex(where: { abs($0) >= Self.silence }) {
        last = start + FrameCount(index / channels + 1)
      }
      try progress(share(before: reader.position))
    }
    guard let first else { throw ExportRefusal.silence }
    let margin = FrameCount(Self.margin, at: stream.rate)
    return max(range.lowerBound, first - margin)..<min(range.upperBound, last + margin)
  }
}
