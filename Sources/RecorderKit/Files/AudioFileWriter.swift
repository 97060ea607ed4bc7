internal import Audio
internal import Files
internal import Linux
internal import Takes

/// A sound file for writing. The filename extension chooses the format.
///
/// ```swift
/// let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
/// let file = try AudioFileWriter(creating: "beep.wav", format: format)
/// try file.write([0, 0.5, 0, -0.5])
/// try file.close()
/// ```
///
/// Other programs can read a WAV file while it is written: the length in its header is at most half
/// a second too short. An open file is closed when the last reference to the writer is released.
/// Only one thread at a time may use a writer.
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
  ///   - path: the file, with the extension `.wav`, `.flac`, `.opus` or the extension of another
  ///     supported format.
  ///   - format: the format of the file. For an Opus file, the sample format is not stored.
  ///   - replacingExisting: whether to replace an existing file. The existing file is truncated
  ///     immediately. If it is a take, its sidecar is removed.
  public init(
    creating path: String, format: AudioFormat, replacingExisting: Bool = false
  ) throws(RecorderError) {
    holdStandardStreams()
    (self.path, self.format) = (path, format)
    let settings = try Self.settings(path, format)
    let flags: OpenFlags = [.readWrite, .create, replacingExisting ? .truncate : .exclusive]
    writer = try translated(of: path, isWriting: true) {
      let descriptor = try Descriptor(opening: path, flags, mode: 0o666)
      return try Files.SoundFileWriter(descriptor, named: path, settings)
    }
    if replacingExisting { removeSidecar() }
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

  /// Appends the frames of a buffer. The rate and the number of channels of the buffer must match
  /// the file.
  public func write(_ buffer: AudioBuffer) throws(RecorderError) {
    let (given, wanted) = (buffer.format, format)
    guard given.channelCount == wanted.channelCount, given.sampleRate == wanted.sampleRate else {
      throw .format(
        "\(given.sampleRate) Hz with \(counted(given.channelCount, "channel"))",
        alternatives: ["\(wanted.sampleRate) Hz with \(wanted.channelCount), as in the file"])
    }
    try write(buffer.samples)
  }

  /// Appends whole frames in any sample format.
  package func write(_ bytes: RawSpan, as sample: AudioFormat.SampleFormat) throws(RecorderError) {
    let sample = SampleFormat(sample)
    let size = sample.bytesPerSample * format.channelCount
    guard bytes.byteCount.isMultiple(of: size) else {
      throw .invalid("the bytes are not whole frames of \(format.channelCount) channels")
    }
    guard writer != nil else { throw .ended }
    try translated(of: path, isWriting: true) {
      try writer?.write(bytes, of: sample)
      length += Int64(bytes.byteCount / size)
      guard length - headerLength >= Int64(format.sampleRate / 4) else { return }
      try writer?.updateHeader()
      headerLength = length
    }
  }

  /// Closes the file, and returns once all of it is on the disk. A second call does nothing.
  ///
  /// A file of an encoded format needs at least one frame. Without frames, the file is removed, and
  /// `close` throws.
  public func close() throws(RecorderError) {
    try translated(of: path, isWriting: true) {
      guard let open = writer.take() else { return }
      let kind = open.settings.format
      guard length > 0 || kind.mayBeEmpty else {
        remove(open.file)
        throw RecorderError.file(path, "it has no frames, and \(kind) files cannot be empty")
      }
      try open.close()
    }
  }

  /// Removes the file, unless another file is at its path.
  private func remove(_ file: CheckedFile) {
    guard let own = try? file.duplicate().status(),
      (try? FileStatus(of: path, following: false))?.isSameFile(as: own) == true
    else { return }
    let (parent, name) = path.pathParts
    try? Directory(parent).remove(name)
  }

  /// Removes the sidecar of the take that the file replaces.
  private func removeSidecar() {
    let (parent, name) = path.pathParts
    if let directory = try? Directory(parent) { Sidecar.remove(beside: name, in: directory) }
  }
}

extension AudioFileWriter {
  /// Returns the file format for the filename extension of a path.
  private static func kind(of path: String) throws(RecorderError) -> FileFormat {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let ending = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last
    if let ending, let kind = FileFormat(suffix: String(ending)) { return kind }
    throw .format(
      ending.map { "the extension .\($0)" } ?? "a file name without an extension",
      alternatives: FileFormat.allCases.compactMap { $0.suffixes.first.map { "." + $0 } })
  }

  private static func settings(
    _ path: String, _ format: AudioFormat
  ) throws(RecorderError) -> SoundFileSettings {
    let kind = try kind(of: path)
    let stream = try stored(format)
    try translated(of: path, isWriting: true) { try kind.check(stream) }
    return SoundFileSettings(format: kind, stream: stream)
  }

  /// Returns the format of the frames in a file. A file stores 24-bit samples in three bytes, even
  /// if they take four in memory.
  private static func stored(_ format: AudioFormat) throws(RecorderError) -> StreamFormat {
    var format = format
    if format.sampleFormat == .int24 { format.sampleFormat = .int24Packed }
    return try format.stream
  }

  /// Returns the format of a recording into a file at `path`. If the file's encoder does not
  /// support the wanted rate, the format has another rate.
  ///
  /// Throws if such a file cannot contain a recording in the wanted format. Nothing is written.
  package static func recordedFormat(
    _ path: String, _ wanted: AudioFormat
  ) throws(RecorderError) -> AudioFormat {
    var format = wanted
    let kind = try kind(of: path)
    if let rate = SampleRate(wanted.sampleRate) { format.sampleRate = kind.rate(for: rate).hertz }
    let stream = try stored(format)
    try translated { try kind.checkRecording(of: stream) }
    return format
  }
}
