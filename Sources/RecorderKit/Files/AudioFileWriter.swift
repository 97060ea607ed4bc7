internal import Audio
internal import Files
internal import Linux

/// A sound file for writing. The filename extension chooses the format.
///
/// ```swift
/// let file = try AudioFileWriter("beep.wav", format: AudioFormat(rate: 48_000, channels: 1, sample: .int16))
/// try file.write([0, 0.5, 0, -0.5])
/// try file.close()
/// ```
///
/// Other programs can read a WAV file while it is written: its header is never more than half a
/// second behind. The release of the last reference closes an open file. Only one thread at a time
/// may use it.
public final class AudioFileWriter {
  /// The path of the file, as given.
  public let path: String
  /// The rate, the channels and the sample format of the file.
  public let format: AudioFormat
  /// The number of frames written so far.
  public private(set) var length: Int64 = 0
  private var writer: Files.SoundFileWriter?
  private var headerLength: Int64 = 0

  /// Creates a file.
  ///
  /// - Parameters:
  ///   - path: the file, with the extension `.wav`, `.flac`, `.opus` or that of another supported
  ///     format.
  ///   - format: the format of the file. Encoded samples, as in Opus, have no sample format in the
  ///     file.
  ///   - replacing: whether to replace an existing file. It is replaced at once.
  public init(_ path: String, format: AudioFormat, replacing: Bool = false) throws(RecorderError) {
    (self.path, self.format) = (path, format)
    let settings = try Self.settings(path, format)
    do throws(SoundFileError) {
      let descriptor: Descriptor
      do throws(SystemError) {
        let flags: OpenFlags = [.readWrite, .create, replacing ? .truncate : .exclusive]
        descriptor = try Descriptor(opening: path, flags, mode: 0o666)
      } catch {
        throw .system(error)
      }
      writer = try Files.SoundFileWriter(descriptor, named: path, settings)
    } catch {
      throw RecorderError(error, writing: path)
    }
  }

  deinit { try? close() }

  /// Whether the file is open.
  public var isOpen: Bool { writer != nil }

  /// Appends whole frames of interleaved samples; full scale is 1. In a file of integers, samples
  /// beyond full scale are limited.
  public func write(_ samples: Span<Float>) throws(RecorderError) {
    try write(unsafe samples.bytes, as: .float32)
  }

  /// Appends whole frames of interleaved samples; full scale is 1.
  public func write(_ samples: [Float]) throws(RecorderError) { try write(samples.span) }

  /// Appends the frames of a buffer. Its rate and its channels must match those of the file.
  public func write(_ buffer: AudioBuffer) throws(RecorderError) {
    guard buffer.format.channels == format.channels, buffer.format.rate == format.rate else {
      throw .format(
        "\(buffer.format.rate) Hz with \(buffer.format.channels) channels",
        alternatives: ["\(format.rate) Hz with \(format.channels), as the file has it"])
    }
    try write(buffer.samples)
  }

  /// Appends whole frames in any sample format.
  package func write(_ bytes: RawSpan, as sample: AudioFormat.Sample) throws(RecorderError) {
    let sample = SampleFormat(sample)
    let size = sample.bytesPerSample * format.channels
    guard bytes.byteCount.isMultiple(of: size) else {
      throw .invalid("the samples do not fill \(format.channels) channels")
    }
    guard writer != nil else { throw .ended }
    do throws(SoundFileError) {
      try writer?.write(bytes, of: sample)
      length += Int64(bytes.byteCount / size)
      guard length - headerLength >= Int64(format.rate / 4) else { return }
      try writer?.updateHeader()
      headerLength = length
    } catch {
      throw RecorderError(error, writing: path)
    }
  }

  /// Closes the file, and returns once all of it is on the disk. A second call does nothing.
  public func close() throws(RecorderError) {
    guard let open = writer.take() else { return }
    do throws(SoundFileError) {
      try open.close()
    } catch {
      throw RecorderError(error, writing: path)
    }
  }
}

extension AudioFileWriter {
  /// Returns the file format for the filename extension of a path.
  private static func kind(of path: String) throws(RecorderError) -> FileFormat {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let ending = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last
    if let ending, let kind = FileFormat(suffix: String(ending)) { return kind }
    throw .format(
      ending.map { "a file that ends in .\($0)" } ?? "a file without an ending",
      alternatives: FileFormat.allCases.compactMap { $0.suffixes.first.map { "." + $0 } })
  }

  private static func settings(
    _ path: String, _ format: AudioFormat
  ) throws(RecorderError) -> SoundFileSettings {
    let kind = try kind(of: path)
    guard let rate = SampleRate(format.rate), let channels = ChannelCount(format.channels) else {
      throw .format(
        "\(format.rate) Hz with \(format.channels) channels",
        alternatives: ["1 to 768,000 Hz", "1 to 1,024 channels"])
    }
    // A file stores 24-bit samples in three bytes, even if they take four in memory.
    var sample = SampleFormat(format.sample)
    if sample == .int24 { sample = .int24Packed }
    let stream = StreamFormat(rate: rate, channels: channels, sample: sample)
    do throws(SoundFileError) {
      try kind.check(stream)
    } catch {
      throw RecorderError(error, writing: path)
    }
    return SoundFileSettings(format: kind, stream: stream)
  }

  /// Returns the format of a recording into a file of that name. Its encoder may support only some
  /// rates.
  ///
  /// Throws if such a file cannot have the wanted format. Nothing is written.
  package static func recordedFormat(
    _ path: String, _ wanted: AudioFormat
  ) throws(RecorderError) -> AudioFormat {
    var format = wanted
    if let rate = SampleRate(wanted.rate) { format.rate = try kind(of: path).rate(for: rate).hertz }
    _ = try settings(path, format)
    return format
  }
}

extension SampleFormat {
  /// The internal sample format.
  init(_ sample: AudioFormat.Sample) {
    self =
      switch sample {
      case .int16: .int16
      case .int24Packed: .int24Packed
      case .int24: .int24
      case .int32: .int32
      case .float32: .float32
      case .float64: .float64
      }
  }
}
