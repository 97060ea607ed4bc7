internal import Audio
internal import Files
internal import Linux
internal import RealTime

/// Turns a sound file into the frames of an output, step by step.
enum SoundDecoding {
  /// Takes whole frames of the output.
  typealias Sink = (Span<Float>) throws(SoundFileError) -> Void

  /// The samples of one step, so that many channels take no more memory than few; little, because
  /// what is touched for the first time costs a short sound more than decoding it.
  private static let step = 8_192

  /// Decodes all of a file, at the rate and with the channels of `format`.
  static func run(
    _ file: consuming Descriptor, named name: String, raw: StreamFormat?,
    for format: StreamFormat, into sink: Sink
  ) throws(SoundFileError) {
    var reader = try SoundFileReader(file, named: name, raw: raw, among: .all)
    if raw == nil { try reader.checkExtent() }
    var done = FrameCount(0)
    let (given, wanted) = (reader.channels.value, format.channels.value)
    let map = ChannelMap(from: reader.channels, to: format.channels)
    let frames = max(1, step / max(given, wanted))
    var resampler = try resampler(from: reader.rate, for: format, name)
    var input = [Float](repeating: 0, count: frames * given)
    var mapped = [Float](repeating: 0, count: frames * wanted)
    var output = mapped
    while true {
      var span = input.mutableSpan
      let count = try reader.read(into: &span)
      if count == 0 { break }
      done += FrameCount(count)
      if !reader.holdsIntegers { try check(input.span.extracting(first: count * given), name) }
      var target = mapped.mutableSpan
      map.apply(to: input.span.extracting(first: count * given), into: &target)
      let samples = mapped.span.extracting(first: count * wanted)
      try pass(samples, through: &resampler, by: &output, wanted, name, into: sink)
    }
    if let frames = reader.frames, done < frames {
      throw .damaged(subject: name, expected: frames, actual: done)
    }
    try drain(&resampler, by: &output, wanted, name, into: sink)
  }

  /// Integers of 32 bits that somebody wrote as floats are the loudest that can be meant.
  private static let loudest: Float = 0x1p32

  /// Random bytes taken for floats would be the loudest noise that there is.
  private static func check(_ samples: Span<Float>, _ name: String) throws(SoundFileError) {
    // Written so that what is no number fails, too.
    for index in samples.indices where !(samples[index].magnitude <= loudest) {
      throw .notFinite(subject: name)
    }
  }

  private static func resampler(
    from rate: SampleRate, for format: StreamFormat, _ name: String
  ) throws(SoundFileError) -> Resampler? {
    guard rate != format.rate else { return nil }
    do throws(ResamplerError) {
      return try Resampler(from: rate, to: format.rate, channels: format.channels, quality: .high)
    } catch {
      throw SoundFileError(error, name)
    }
  }

  private static func pass(
    _ samples: Span<Float>, through resampler: inout Resampler?, by output: inout [Float],
    _ channels: Int, _ name: String, into sink: Sink
  ) throws(SoundFileError) {
    if resampler == nil { return try sink(samples) }
    var done = 0
    while done < samples.count {
      var progress: Resampler.Progress?
      do throws(ResamplerError) {
        var span = output.mutableSpan
        progress = try resampler?.process(samples.extracting(droppingFirst: done), into: &span)
      } catch {
        throw SoundFileError(error, name)
      }
      guard let progress else { return }
      done += progress.consumed * channels
      try sink(output.span.extracting(first: progress.produced * channels))
    }
  }

  private static func drain(
    _ resampler: inout Resampler?, by output: inout [Float], _ channels: Int, _ name: String,
    into sink: Sink
  ) throws(SoundFileError) {
    while true {
      var count: Int?
      do throws(ResamplerError) {
        var span = output.mutableSpan
        count = try resampler?.flush(into: &span)
      } catch {
        throw SoundFileError(error, name)
      }
      guard let count, count > 0 else { return }
      try sink(output.span.extracting(first: count * channels))
    }
  }
}

extension SoundFileError {
  fileprivate init(_ error: ResamplerError, _ name: String) {
    self = .library(function: error.function, subject: name, code: 0, words: error.words)
  }
}
