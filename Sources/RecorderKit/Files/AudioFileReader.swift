internal import Audio
internal import Files
internal import Linux
internal import RealTime

/// A sound file for reading: WAV, AIFF, CAF, AU, FLAC, Opus, Vorbis or MP3.
///
/// ```swift
/// let file = try AudioFileReader("talk.flac")
/// while let buffer = try file.read(upTo: 4_096) {
///   print(buffer.position, buffer.frameCount)
/// }
/// ```
///
/// A reader decodes in this process, and its calls wait for the disk. Only one thread at a time may
/// use a reader.
public final class AudioFileReader {
  /// The path of the file, as given.
  public let path: String
  /// The rate, the channels and the sample format of the file. For a lossy encoding, such as Opus
  /// or MP3, the sample format is `float32`.
  public let format: AudioFormat
  /// The name of the file format, such as `FLAC (Free Lossless Audio Codec)`.
  public let container: String
  /// The name of the encoding, such as `Signed 16 bit PCM`.
  public let encoding: String
  /// The number of frames.
  public let length: Int64
  /// The usual filename extension of the file's format, without the dot.
  package let ending: String
  private let file: SurveyedFile
  /// The number of frames of each part. A part is a stream in the file. Most files have one part.
  /// Several parts play one after the other.
  private let lengths: [Int64]
  private var part = 0
  private var reader: Files.SoundFileReader
  /// The index of the next frame to read.
  public private(set) var position: Int64 = 0

  /// Opens a sound file. Throws if the file is not a sound, or its type is not supported.
  public init(_ path: String) throws(RecorderError) {
    let (file, lengths) = try translated(of: path) { try Self.open(path) }
    let reader = try translated(of: path) { try file.reader(of: 0) }
    let info = reader.info
    (self.path, self.file, self.lengths, ending) = (path, file, lengths, reader.ending)
    (container, encoding) = (info.container, info.encoding)
    length = lengths.reduce(0, +)
    format = AudioFormat(
      sampleRate: reader.rate.hertz, channelCount: reader.channels.value,
      sampleFormat: Self.sample(bits: info.bits, isInteger: reader.holdsIntegers))
    self.reader = reader
  }

  /// Reads whole frames until `samples` is full or the file ends. Returns the number of frames, 0
  /// at the end.
  public func read(into samples: inout MutableSpan<Float>) throws(RecorderError) -> Int {
    try translated(of: path) { try fill(&samples) }
  }

  /// Returns the next frames, at most `frames`, or nil at the end.
  public func read(upTo frames: Int) throws(RecorderError) -> AudioBuffer? {
    let begin = position
    let wanted = Int(min(Int64(max(1, frames)), max(1, length - begin)))
    var samples = [Float](repeating: 0, count: wanted * format.channelCount)
    var span = samples.mutableSpan
    let count = try read(into: &span)
    if count == 0 { return nil }
    samples.removeLast(samples.count - count * format.channelCount)
    return AudioBuffer(samples, format: format, position: begin)
  }

  /// Moves to exactly this frame. A position before the beginning becomes the beginning, and a
  /// position past the end becomes the end.
  public func seek(to frame: Int64) throws(RecorderError) {
    let target = min(max(0, frame), length)
    var (index, before) = (0, Int64(0))
    while index + 1 < lengths.count, before + lengths[index] <= target {
      before += lengths[index]
      index += 1
    }
    try translated(of: path) {
      if index != part {
        reader = try file.reader(of: index)
        part = index
      }
      try reader.seek(to: FrameCount(target - before))
    }
    position = target
  }
}

extension AudioFileReader {
  private static func open(_ path: String) throws -> (SurveyedFile, lengths: [Int64]) {
    let file = try SurveyedFile(Descriptor(opening: path, .nonBlocking), named: path)
    var lengths: [Int64] = []
    let first = try file.reader(of: 0)
    let (rate, channels) = (first.rate, first.channels)
    for index in 0..<max(1, file.streamCount) {
      var reader = try file.reader(of: index)
      guard reader.rate == rate, reader.channels == channels else {
        throw SoundFileError.notDecoded(
          subject: path, kind: "a file with parts of different formats", isConvertible: true)
      }
      lengths.append((reader.frames ?? reader.countFrames()).value)
    }
    return (file, lengths)
  }

  private static func sample(bits: Int?, isInteger: Bool) -> AudioFormat.SampleFormat {
    switch (bits, isInteger) {
    case (let bits?, true) where bits <= 16: .int16
    case (let bits?, true) where bits <= 24: .int24
    case (_, true): .int32
    case (64, false): .float64
    default: .float32
    }
  }

  private func fill(_ samples: inout MutableSpan<Float>) throws(SoundFileError) -> Int {
    var done = 0
    while done < samples.count / format.channelCount {
      var rest = samples._mutatingExtracting(droppingFirst: done * format.channelCount)
      let count = try readSome { reader throws(SoundFileError) in try reader.read(into: &rest) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Reads from the current part. At the end of this part, continues with the next part.
  private func readSome(
    _ read: (inout Files.SoundFileReader) throws(SoundFileError) -> Int
  ) throws(SoundFileError) -> Int {
    while true {
      let count = try read(&reader)
      position += Int64(count)
      if count > 0 || part + 1 >= lengths.count { return count }
      part += 1
      reader = try file.reader(of: part)
    }
  }

  /// Reads whole frames in a sample format. Returns the number of frames, 0 at the end.
  ///
  /// Integers are unchanged if the requested format can store them.
  package func read(
    into bytes: inout MutableRawSpan, as sample: AudioFormat.SampleFormat
  ) throws(RecorderError) -> Int {
    try translated(of: path) { try fill(&bytes, as: SampleFormat(sample)) }
  }

  private func fill(
    _ bytes: inout MutableRawSpan, as wanted: SampleFormat
  ) throws(SoundFileError) -> Int {
    let channels = format.channelCount
    let room = bytes.byteCount / wanted.bytesPerSample / channels
    var done = 0
    while done < room {
      let step = min(room - done, max(1, 8_192 / channels))
      var rest = bytes._mutatingExtracting((done * channels * wanted.bytesPerSample)...)
      let count =
        try reader.holdsIntegers && format.sampleFormat == .int32
        ? readIntegers(step, into: &rest, as: wanted) : readFloats(step, into: &rest, as: wanted)
      if count == 0 { break }
      done += count
    }
    return done
  }

  private func readFloats(
    _ frames: Int, into bytes: inout MutableRawSpan, as wanted: SampleFormat
  ) throws(SoundFileError) -> Int {
    var floats = [Float](repeating: 0, count: frames * format.channelCount)
    var span = floats.mutableSpan
    let count = try readSome { reader throws(SoundFileError) in try reader.read(into: &span) }
    let part = floats.span.extracting(first: count * format.channelCount)
    SampleConversion(from: .float32, to: wanted).convert(unsafe part.bytes, into: &bytes)
    return count
  }

  /// Reads 32-bit integers, which a `Float` cannot hold exactly.
  private func readIntegers(
    _ frames: Int, into bytes: inout MutableRawSpan, as wanted: SampleFormat
  ) throws(SoundFileError) -> Int {
    var integers = [Int32](repeating: 0, count: frames * format.channelCount)
    var span = integers.mutableSpan
    let count = try readSome { reader throws(SoundFileError) in try reader.read(into: &span) }
    let part = integers.span.extracting(first: count * format.channelCount)
    SampleConversion(from: .int32, to: wanted).convert(unsafe part.bytes, into: &bytes)
    return count
  }
}
