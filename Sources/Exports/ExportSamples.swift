internal import Audio
internal import RealTime

/// The frames of an export in the sample format of its file. The samples stay unchanged if the file
/// can hold them. Otherwise they are rounded with dither. Dither replaces the distortion of
/// rounding with noise.
struct ExportSamples: ~Copyable {
  private enum Origin {
    case exact(ExportReader)
    case changed(LoudFrames)
  }

  private let layout: ExportLayout
  private let origin: Origin
  private var noise = Dither(seed: 0x5EED)
  /// The index of the next frame.
  private(set) var position: FrameCount
  /// The frames of the last read.
  private(set) var bytes: [UInt8] = []

  /// Starts to decode at the first frame of a layout. If a change of level is given, all frames are
  /// converted to floats.
  init(_ layout: ExportLayout, _ change: LevelChange?, by decoder: ExportReader.Decoder) throws {
    self.layout = layout
    position = layout.range.lowerBound
    if let change {
      origin = .changed(try LoudFrames(layout, change, by: decoder))
    } else {
      origin = .exact(try ExportReader(decoder, layout))
    }
  }

  /// Reads frames up to `end`, at most a block, into `bytes`.
  mutating func read(upTo end: FrameCount) throws {
    let start = position
    switch origin {
    case .exact(let reader):
      try reader.read(upTo: layout.edge(behind: start, before: end))
      position = reader.position
      guard layout.fades(at: start) else {
        let block = reader.block
        return convert(unsafe block.span.bytes, of: reader.decoded, isNoisy: layout.needsNoise)
      }
      var floats = reader.floats
      layout.fade(&floats, at: start)
      convert(unsafe floats.span.bytes, of: .float32, isNoisy: true)
    case .changed(let frames):
      let count = min(ExportReader.mostFrames, Int((end - start).value))
      position += FrameCount(count)
      let floats = try frames.read(count)
      convert(unsafe floats.span.bytes, of: .float32, isNoisy: true)
    }
  }

  /// Ends the decoder.
  func end() {
    switch origin {
    case .exact(let reader): reader.end()
    case .changed(let frames): frames.end()
    }
  }

  private mutating func convert(_ frames: RawSpan, of sample: SampleFormat, isNoisy: Bool) {
    let target = layout.stream.sample
    let count = frames.byteCount / sample.bytesPerSample * target.bytesPerSample
    if bytes.count != count { bytes = Array(repeating: 0, count: count) }
    Self.convert(
      frames, SampleConversion(from: sample, to: target), &noise, isNoisy: isNoisy, into: &bytes)
  }

  private static func convert(
    _ frames: RawSpan, _ conversion: SampleConversion, _ noise: inout Dither, isNoisy: Bool,
    into bytes: inout [UInt8]
  ) {
    var span = bytes.mutableSpan
    var room = unsafe span.mutableBytes
    if isNoisy {
      conversion.convert(frames, into: &room, dithering: &noise)
    } else {
      conversion.convert(frames, into: &room)
    }
  }
}
