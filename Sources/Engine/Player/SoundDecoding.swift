internal import Audio
internal import CommandLine
internal import Files
internal import Linux
internal import Playback
internal import RealTime

/// Turns a sound file into the frames of an output.
enum SoundDecoding {
  /// The frames of one step.
  private static let step = 16_384
  /// The most memory that one sound may take.
  private static let most = 256 << 20

  /// Decodes all of a file, at the rate and with the channels of `format`.
  static func decode(
    _ file: consuming Descriptor, named name: String, raw: StreamFormat?, for format: StreamFormat
  ) throws(Failure) -> Sound {
    do throws(SoundFileError) {
      var reader = try SoundFileReader(file, named: name, raw: raw)
      return try read(&reader, named: name, for: format)
    } catch {
      throw Failure(reading: name, error)
    }
  }

  private static func read(
    _ reader: inout SoundFileReader, named name: String, for format: StreamFormat
  ) throws(SoundFileError) -> Sound {
    let map = ChannelMap(from: reader.channels, to: format.channels)
    var resampler = try resampler(from: reader.rate, for: format, name)
    var frames: [Float] = []
    var input = [Float](repeating: 0, count: step * reader.channels.value)
    var mapped = [Float](repeating: 0, count: step * format.channels.value)
    while true {
      var span = input.mutableSpan
      let count = try reader.read(into: &span)
      if count == 0 { break }
      var target = mapped.mutableSpan
      map.apply(to: input.span.extracting(first: count * reader.channels.value), into: &target)
      let samples = mapped.span.extracting(first: count * format.channels.value)
      try append(samples, through: &resampler, to: &frames, format, name)
      guard frames.count * 4 <= most else { throw .notSound(subject: name) }
    }
    try drain(&resampler, into: &frames, format, name)
    let stream = StreamFormat(rate: format.rate, channels: format.channels, sample: .float32)
    return Sound(unsafe frames.span.bytes, format: stream)
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

  private static func append(
    _ samples: Span<Float>, through resampler: inout Resampler?, to frames: inout [Float],
    _ format: StreamFormat, _ name: String
  ) throws(SoundFileError) {
    if resampler == nil {
      for index in samples.indices { frames.append(samples[index]) }
      return
    }
    var done = 0
    var output = [Float](repeating: 0, count: step * format.channels.value)
    do throws(ResamplerError) {
      while done < samples.count {
        var span = output.mutableSpan
        let progress = try resampler?.process(samples.extracting(droppingFirst: done), into: &span)
        guard let progress else { return }
        done += progress.consumed * format.channels.value
        frames += output[..<(progress.produced * format.channels.value)]
      }
    } catch {
      throw SoundFileError(error, name)
    }
  }

  private static func drain(
    _ resampler: inout Resampler?, into frames: inout [Float], _ format: StreamFormat,
    _ name: String
  ) throws(SoundFileError) {
    var output = [Float](repeating: 0, count: step * format.channels.value)
    do throws(ResamplerError) {
      while true {
        var span = output.mutableSpan
        guard let count = try resampler?.flush(into: &span), count > 0 else { return }
        frames += output[..<(count * format.channels.value)]
      }
    } catch {
      throw SoundFileError(error, name)
    }
  }
}

extension SoundFileError {
  fileprivate init(_ error: ResamplerError, _ name: String) {
    self = .library(function: error.function, subject: name, code: 0, words: error.words)
  }
}
