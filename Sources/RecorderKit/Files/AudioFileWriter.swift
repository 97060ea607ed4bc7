internal import Audio
internal import Files
internal import Linux

/// A sound file that is written frame by frame; the ending of its name chooses the kind.
///
/// ```swift
/// let file = try AudioFileWriter("beep.wav", format: AudioFormat(rate: 48_000, channels: 1, sample: .int16))
/// try file.write([0, 0.5, 0, -0.5])
/// try file.close()
/// ```
///
/// Others can read a WAV file while it is written: its header is never more than half a second behind. A file
/// that is not closed is closed with the last reference to it. One thread at a time uses it.
public final class AudioFileWriter {
  /// The path of the file, as it was given.
  public let path: String
  /// The rate, the channels and the samples of the file.
  public let format: AudioFormat
  /// The number of frames that were written.
  public private(set) var length: Int64 = 0
  private var writer: Files.SoundFileWriter?
  private var headerLength: Int64 = 0

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - path: a name that ends in `.wav`, `.flac`, `.opus` or another ending of a kind that is written.
  ///   - format: samples that are encoded, as in Opus, have no format of their own in the file.
  ///   - replacing: true to replace a file of that name, at once.
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

  /// True until the file is closed.
  public var isOpen: Bool { writer != nil }

  /// Appends whole frames of interleaved samples, 1 being full scale; what is beyond is limited in a file of integers.
  public func write(_ samples: Span<Float>) throws(RecorderError) {
    try write(unsafe samples.bytes, as: .float32)
  }

  /// Appends whole frames of interleaved samples, 1 being full scale.
  public func write(_ samples: [Float]) throws(RecorderError) { try write(samples.span) }

  /// Appends the frames of a buffer with as many channels and the rate of the file.
  public func write(_ buffer: AudioBuffer) throws(RecorderError) {
    guard buffer.format.channels == format.channels, buffer.format.rate == format.rate else {
      throw .format(
        "\(buffer.format.rate) Hz with \(buffer.format.channels) channels",
        alternatives: ["\(format.rate) Hz with \(format.channels), as the file has it"])
    }
    try write(buffer.samples)
  }

  /// Appends whole frames of samples of any kind.
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

  /// Ends the file, and returns once all of it is on the disk; a second call does nothing.
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
  /// The kind of file that the ending of a name means.
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
    // Three bytes a sample in a file, whatever they take in memory.
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

  /// The format of a recording into a file of that name, whose encoder may know only some rates.
  ///
  /// Throws if such a file cannot have the wanted format; nothing is written.
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
  /// The floor's name of it.
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
