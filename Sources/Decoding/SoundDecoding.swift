package import Audio
package import Files
internal import Linux
internal import RealTime

/// Turns a sound file into the frames of an output, step by step.
package struct SoundDecoding {
  /// A function that receives whole frames of the output.
  package typealias Sink = (Span<Float>) throws(SoundFileError) -> Void

  /// The number of samples per step. Counting samples instead of frames limits the memory for files
  /// with many channels. The number is small, because the first access to new memory takes more
  /// time than the decoding of a short sound.
  private static let step = 8_192
  /// The number of frames that a resampler needs until its output no longer depends on its starting
  /// point.
  private static let settling: FrameCount = 8_192

  /// The lowest accepted rate of a file with a header. A lower rate is an error in the header, and
  /// would let a small file play for days.
  private static let lowestRate = 1_000

  private let name: String
  private let format: StreamFormat
  /// The first requested frame of the output.
  private var first: FrameCount
  /// The maximum number of frames of each stream, at the rate of the stream, or nil for all frames.
  private let most: FrameCount?
  /// The precision of resampling.
  package var quality = Resampler.Quality.high
  /// The number of channels of each track to mix, or empty. If the sum of these numbers is not the
  /// number of channels of the file, the channels of the file are treated as loudspeaker channels.
  package var mix: [ChannelCount] = []

  /// A decoding of a file called `name` for an output of `format`.
  ///
  /// - Parameters:
  ///   - first: the first requested frame of the output.
  ///   - most: the maximum number of frames of each stream, at the rate of the stream, or nil for
  ///     all frames. A step that would exceed the maximum is dropped.
  package init(
    name: String, format: StreamFormat, first: FrameCount = 0, upTo most: FrameCount? = nil
  ) {
    self.name = name
    self.format = format
    self.first = first
    self.most = most
  }

  /// Decodes the streams of a file one after the other, and converts them to the rate and the
  /// channels of `format`.
  ///
  /// - Parameter announce: receives, before the first frame, the number of frames of the whole
  ///   decoded file, or nil if the file does not state it.
  package func run(
    _ file: SurveyedFile,
    announce: (FrameCount?) throws(SoundFileError) -> Void = { _ throws(SoundFileError) in },
    into sink: Sink
  ) throws(SoundFileError) {
    let ends = try ends(of: file)
    let total: FrameCount? = ends.last ?? nil
    if total == 0 { try file.checkEmptiness() }
    try announce(total)
    var before = FrameCount(0)
    for (index, end) in ends.enumerated() {
      defer { before = end ?? before }
      if let end, end <= first, index + 1 < ends.count { continue }
      var part = self
      part.first = max(0, first - before)
      if let end, most == nil {
        let frames = max(0, end - before - part.first)
        try part.run(try file.reader(of: index), exactly: frames, into: sink)
      } else {
        try part.run(try file.reader(of: index), into: sink)
      }
    }
  }

  /// Returns the output frame at which each stream ends. If a stream does not state its length, the
  /// result is nil for this stream and all later streams.
  ///
  /// As in `SurveyedFile.info`, the lengths are added at the rate of the first stream. Only the
  /// sums are converted to the output's rate, so that the last end agrees with `info`.
  private func ends(of file: SurveyedFile) throws(SoundFileError) -> [FrameCount?] {
    var ends: [FrameCount?] = []
    var counted: FrameCount? = 0
    var rate: SampleRate?
    for index in 0..<file.streamCount {
      let reader = try file.reader(of: index)
      let (own, frames) = (reader.rate, reader.frames)
      if !file.isRaw && own.hertz < Self.lowestRate { throw .rateUnheard(subject: name, own) }
      let base = rate ?? own
      rate = base
      if let sum = counted, let frames {
        counted = sum + frames.converted(from: own, to: base)
      } else {
        counted = nil
      }
      ends.append(counted?.converted(from: base, to: format.rate))
    }
    return ends
  }

  /// Decodes a new `reader` and passes exactly `frames` frames to `sink`. The decoded stream can be
  /// some frames longer or shorter, because `frames` is rounded. Surplus frames are dropped, and
  /// silence replaces missing frames.
  private func run(
    _ reader: consuming SoundFileReader, exactly frames: FrameCount, into sink: Sink
  ) throws(SoundFileError) {
    let channels = format.channels.value
    var left = frames.value
    try run(reader) { samples throws(SoundFileError) in
      let count = min(left, Int64(samples.count / channels))
      left -= count
      if count > 0 { try sink(samples.extracting(first: Int(count) * channels)) }
    }
    if left > 0 { try sink([Float](repeating: 0, count: Int(left) * channels).span) }
  }

  /// Decodes a new `reader` from the first requested frame to the end, and converts the frames to
  /// the rate and the channels of `format`.
  package func run<Reader: FrameReader & ~Copyable>(
    _ reader: consuming Reader, into sink: Sink
  ) throws(SoundFileError) {
    let (begin, frames) = skip(&reader, RateRatio(from: reader.rate, to: format.rate))
    var unwanted = frames * format.channels.value
    try decode(&reader, from: begin) { samples throws(SoundFileError) in
      let count = min(unwanted, samples.count)
      unwanted -= count
      if count < samples.count { try sink(samples.extracting(droppingFirst: count)) }
    }
  }

  /// Returns the smallest format that holds each sample of a file exactly: `int16` or `float32`.
  func smallestSample(for file: SurveyedFile) throws(SoundFileError) -> SampleFormat {
    for index in 0..<file.streamCount {
      if smallestSample(for: try file.reader(of: index)) == .float32 { return .float32 }
    }
    return .int16
  }

  /// Returns the smallest format that holds each sample of one reader exactly.
  package func smallestSample<Reader: FrameReader & ~Copyable>(
    for reader: borrowing Reader
  ) -> SampleFormat {
    let isExact = reader.fits16Bits && reader.rate == format.rate && map(of: reader).isSelection
    return isExact ? .int16 : .float32
  }

  private func map<Reader: FrameReader & ~Copyable>(of reader: borrowing Reader) -> ChannelMap {
    let tracks = mix.map(\.value).consecutiveRanges
    return tracks.last?.upperBound == reader.channels.value
      ? ChannelMap(mixing: tracks, of: reader.channels, to: format.channels)
      : ChannelMap(from: reader.channels, at: reader.speakers, to: format.channels)
  }

  /// Seeks to a position shortly before the first requested frame. Returns that position in the
  /// file, and the number of output frames to skip from there.
  ///
  /// A resampler that begins in the middle needs some frames until its output is the same as from
  /// the beginning.
  private func skip<Reader: FrameReader & ~Copyable>(
    _ reader: inout Reader, _ ratio: RateRatio
  ) -> (begin: FrameCount, unwanted: Int) {
    let margin: FrameCount = ratio.isOne ? 0 : Self.settling
    let (input, output) = ratio.meeting(notAfter: max(0, first - margin))
    do throws(SoundFileError) {
      if input > 0 { try reader.seek(to: input) }
      return (input, Int((first - output).value))
    } catch {
      // If the file does not support seeking, it is read from its beginning.
      return (0, Int(first.value))
    }
  }

  private func decode<Reader: FrameReader & ~Copyable>(
    _ reader: inout Reader, from begin: FrameCount, into sink: Sink
  ) throws(SoundFileError) {
    var done = begin
    let (given, wanted) = (reader.channels.value, format.channels.value)
    let map = map(of: reader)
    let frames = max(1, Self.step / max(given, wanted))
    var resampler = try resampler(from: reader.rate)
    var input = [Float](repeating: 0, count: frames * given)
    var mapped = [Float](repeating: 0, count: frames * wanted)
    var output = mapped
    while true {
      var span = input.mutableSpan
      let count = try reader.read(into: &span)
      if count == 0 { break }
      done += FrameCount(count)
      if let most, done > begin + most { return }
      if !reader.holdsIntegers { try check(input.span.extracting(first: count * given)) }
      if map.isIdentity {
        let samples = input.span.extracting(first: count * given)
        try pass(samples, through: &resampler, by: &output, into: sink)
        continue
      }
      var target = mapped.mutableSpan
      map.apply(to: input.span.extracting(first: count * given), into: &target)
      let samples = mapped.span.extracting(first: count * wanted)
      try pass(samples, through: &resampler, by: &output, into: sink)
    }
    if let frames = reader.frames, done < frames {
      throw .damaged(subject: name, expected: frames, actual: done)
    }
    try drain(&resampler, by: &output, into: sink)
  }

  /// The highest accepted magnitude of samples. It is high, because some programs write 32-bit
  /// integers as floats without scaling them.
  private static let loudest: Float = 0x1p32

  /// Throws if a sample exceeds the limit. Random bytes read as floats would be extremely loud
  /// noise.
  private func check(_ samples: Span<Float>) throws(SoundFileError) {
    // This form of the condition also rejects NaN.
    for index in samples.indices where !(samples[index].magnitude <= Self.loudest) {
      throw .notFinite(subject: name)
    }
  }

  private func resampler(from rate: SampleRate) throws(SoundFileError) -> Resampler? {
    guard rate != format.rate else { return nil }
    return try resampling { () throws(ResamplerError) in
      try Resampler(from: rate, to: format.rate, channels: format.channels, quality: quality)
    }
  }

  /// Calls the resampler. Throws its error with the name of the file.
  private func resampling<Value: ~Copyable>(
    _ body: () throws(ResamplerError) -> Value
  ) throws(SoundFileError) -> Value {
    let words = { (error: ResamplerError) in
      SoundFileError.library(function: error.function, subject: name, code: 0, words: error.words)
    }
    return try mapError(words, body)
  }

  private func pass(
    _ samples: Span<Float>, through resampler: inout Resampler?, by output: inout [Float],
    into sink: Sink
  ) throws(SoundFileError) {
    let channels = format.channels.value
    if resampler == nil { return try sink(samples) }
    var done = 0
    while done < samples.count {
      let progress = try resampling { () throws(ResamplerError) in
        var span = output.mutableSpan
        return try resampler?.process(samples.extracting(droppingFirst: done), into: &span)
      }
      guard let progress else { return }
      done += progress.consumed * channels
      try sink(output.span.extracting(first: progress.produced * channels))
    }
  }

  private func drain(
    _ resampler: inout Resampler?, by output: inout [Float], into sink: Sink
  ) throws(SoundFileError) {
    let channels = format.channels.value
    while true {
      let count = try resampling { () throws(ResamplerError) in
        var span = output.mutableSpan
        return try resampler?.flush(into: &span)
      }
      guard let count, count > 0 else { return }
      try sink(output.span.extracting(first: count * channels))
    }
  }
}

/// The ratio of two rates. It converts positions without an accumulating error.
private struct RateRatio: Hashable {
  private let from: Int64
  private let to: Int64

  init(from input: SampleRate, to output: SampleRate) {
    let divisor = Self.greatestCommonDivisor(input.hertz, output.hertz)
    from = Int64(input.hertz / divisor)
    to = Int64(output.hertz / divisor)
  }

  /// Whether the rates are the same.
  var isOne: Bool { from == to }

  /// Finds the last output frame that is not after `frame` and coincides exactly with an input
  /// frame. Returns both frames.
  func meeting(notAfter frame: FrameCount) -> (input: FrameCount, output: FrameCount) {
    let times = frame.value / to
    return (FrameCount(times * from), FrameCount(times * to))
  }

  private static func greatestCommonDivisor(_ left: Int, _ right: Int) -> Int {
    right == 0 ? left : greatestCommonDivisor(right, left % right)
  }
}
