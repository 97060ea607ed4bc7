package import Audio
package import Files
package import Linux
internal import RealTime

/// The types of samples that a decoder can produce.
package enum DecodedSamples: String, Sendable {
  /// Floats.
  case floats
  /// 32-bit integers. The file must have one stream of integers, with the rate and the number of
  /// channels of the output, so that no sample changes.
  case integers
  /// 16-bit integers if they hold each sample exactly, otherwise floats.
  case smallest
}

/// The properties of decoded frames that are known before the first frame.
package struct DecodedHead: Hashable, Sendable {
  /// The format of the samples.
  package var sample: SampleFormat
  /// The number of frames of the whole decoded file, or nil if the file does not state it.
  package var length: FrameCount?
  /// The missing or surplus parts of the file, or nil if the file is complete.
  package var flaw: SoundFlaw?

  /// Creates the head of a file whose frames are decoded to this sample format.
  package init(_ sample: SampleFormat, length: FrameCount?, flaw: SoundFlaw? = nil) {
    self.sample = sample
    self.length = length
    self.flaw = flaw
  }
}

/// A request to decode a file for an output.
package struct DecodeOrder: Sendable {
  /// The file's name in messages.
  package let name: String
  /// The format of a file without a header, or nil to read the format from the file.
  package var raw: StreamFormat?
  /// The number of channels of each track, if the file contains several tracks to mix. Empty if the
  /// channels of the file are loudspeaker channels.
  package var mix: [ChannelCount] = []
  /// The format that the output plays.
  package let format: StreamFormat
  /// The kinds of files to accept if this process decodes the file. A decoder process accepts all
  /// kinds.
  package var kinds = SoundKinds.all
  /// The type of samples to produce.
  package var samples = DecodedSamples.floats
  /// Whether to resample with the precision of exports. It is higher than that of playback, and
  /// takes twice as much time.
  package var isPrecise = false
  /// The number of frames of the output if the caller has counted them, or nil. The limit of the
  /// decoder's processor time depends on this number if the file does not state its length.
  package var length: FrameCount?

  /// A request for a file called `name`, for an output of `format`.
  package init(name: String, raw: StreamFormat? = nil, format: StreamFormat) {
    self.name = name
    self.raw = raw
    self.format = format
  }

  /// Returns the same request with another number of output channels, and without tracks to mix.
  /// `raw` is the format of the file, if the file has no header.
  package func limited(to channels: ChannelCount, raw: StreamFormat?) -> DecodeOrder {
    let stream = StreamFormat(rate: format.rate, channels: channels, sample: format.sample)
    var order = DecodeOrder(name: name, raw: raw, format: stream)
    (order.kinds, order.samples, order.isPrecise) = (kinds, samples, isPrecise)
    order.length = length
    return order
  }

  /// Returns the format of decoded frames with this sample format.
  package func decoded(_ sample: SampleFormat) -> StreamFormat {
    StreamFormat(rate: format.rate, channels: format.channels, sample: sample)
  }
}

extension DecodeOrder {
  /// Decodes a file in this process, beginning at frame `first` of the output. Converts the frames
  /// to bytes of the requested sample type.
  ///
  /// - Parameter announce: receives the head before the first frame.
  package func decodeBytes(
    _ file: consuming Descriptor, from first: FrameCount = 0,
    announce: (DecodedHead) throws(SoundFileError) -> Void,
    into sink: (RawSpan) throws(SoundFileError) -> Void
  ) throws(SoundFileError) {
    let file = try SurveyedFile(file, named: name, raw: raw, among: kinds)
    let flaw = try file.flaw()
    if samples == .integers { return try passIntegers(file, flaw, first, announce, sink) }
    let decoding = decoding(from: first)
    let sample = samples == .smallest ? try decoding.smallestSample(for: file) : .float32
    let conversion = SampleConversion(from: .float32, to: sample)
    var block: [UInt8] = []
    try decoding.run(file) { length throws(SoundFileError) in
      try announce(DecodedHead(sample, length: length, flaw: flaw))
    } into: { samples throws(SoundFileError) in
      guard sample != .float32 else { return try sink(unsafe samples.bytes) }
      let size = samples.count * sample.bytesPerSample
      if block.count < size { block = [UInt8](repeating: 0, count: size) }
      conversion.convert(unsafe samples.bytes, into: &block)
      try sink(unsafe block.span.extracting(first: size).bytes)
    }
  }

  private func decoding(from first: FrameCount) -> SoundDecoding {
    var decoding = SoundDecoding(name: name, format: format, first: first)
    decoding.mix = mix
    if isPrecise { decoding.quality = .veryHigh }
    return decoding
  }

  private func passIntegers(
    _ file: SurveyedFile, _ flaw: SoundFlaw?, _ first: FrameCount,
    _ announce: (DecodedHead) throws(SoundFileError) -> Void,
    _ sink: (RawSpan) throws(SoundFileError) -> Void
  ) throws(SoundFileError) {
    var reader = try file.reader(of: 0)
    let isFitting = reader.rate == format.rate && reader.channels == format.channels
    guard file.streamCount == 1, reader.holdsIntegers, isFitting else {
      throw .undecodable(subject: name, container: "sound")
    }
    try announce(DecodedHead(.int32, length: reader.frames, flaw: flaw))
    try reader.seek(to: first)
    // The numbers of channels are equal, so the map only reorders the channels.
    let map = ChannelMap(from: reader.channels, at: reader.speakers, to: format.channels)
    var block = [Int32](repeating: 0, count: 4_096 * format.channels.value)
    let isOrdered = map.isIdentity
    var ordered = isOrdered ? [] : block
    var done = first
    while true {
      let count = try Self.read(&reader, into: &block)
      if count == 0 { break }
      done += FrameCount(count)
      let samples = count * format.channels.value
      if isOrdered {
        try sink(unsafe block.span.extracting(first: samples).bytes)
      } else {
        Self.select(block, samples, by: map, into: &ordered)
        try sink(unsafe ordered.span.extracting(first: samples).bytes)
      }
    }
    if let frames = reader.frames, done < frames {
      throw .damaged(subject: name, expected: frames, actual: done)
    }
  }

  private static func select(
    _ block: [Int32], _ samples: Int, by map: ChannelMap, into ordered: inout [Int32]
  ) {
    var span = ordered.mutableSpan
    var bytes = unsafe span.mutableBytes
    unsafe map.select(
      from: block.span.extracting(first: samples).bytes, bytesPerSample: 4, into: &bytes)
  }

  private static func read(
    _ reader: inout SoundFileReader, into block: inout [Int32]
  ) throws(SoundFileError) -> Int {
    var span = block.mutableSpan
    return try reader.read(into: &span)
  }
}
