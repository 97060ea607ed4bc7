package import Audio
internal import CSndFile
package import Linux
internal import RealTime

/// A sound file that is open for writing. Only one thread at a time may use it.
///
/// The first failure is stored. After a failure, nothing is written, and every call throws the
/// stored failure. So the file has all frames up to the failure, and no later frames.
///
/// This program writes the headers of WAV, CAF and AIFF files itself (`WaveHeader`, `AppleHeader`).
/// libsndfile and its dependencies take a megabyte of memory. So libsndfile is used only for
/// encoders, for W64, and for the byte order of AIFF.
package struct SoundFileWriter: ~Copyable, Sendable {
  /// The settings of the file.
  package let settings: SoundFileSettings
  /// The number of frames that were written without an error.
  package private(set) var framesWritten: FrameCount = 0

  /// The file itself, for the thread that synchronizes it and for a repair after a failure.
  package let file: CheckedFile
  /// The handle of libsndfile, or nil if the samples are written without libsndfile.
  private let handle: SoundFileHandle?
  /// The buffer for samples in the format of the file. This buffer and the next two buffers are
  /// empty until they are needed.
  private var samples: [UInt8] = []
  /// The buffers for samples that are passed to libsndfile: integers scaled to 32 bits, and floats.
  private var integers: [Int32] = []
  private var floats: [Float] = []
  /// The channel order of the encoder, or nil if the frames already have this order.
  private var order: VorbisOrder?

  /// The maximum number of samples to convert at a time.
  private static let blockSize = 8_192

  /// Starts a file in `descriptor`, which must be empty and open for reading and writing.
  package init(
    _ descriptor: consuming Descriptor, named label: String, _ settings: SoundFileSettings
  ) throws(SoundFileError) {
    try self.init(CheckedFile(descriptor, named: label), settings)
  }

  /// Starts a file in an empty `CheckedFile`.
  package init(_ file: CheckedFile, _ settings: SoundFileSettings) throws(SoundFileError) {
    try settings.format.check(settings.stream)
    let base = Int64(settings.header?.count ?? 0)
    if let header = settings.header { try header.write(to: file, audio: 0, end: base) }
    handle = try settings.format.isUncompressed ? nil : Self.handle(of: file, settings, from: base)
    self.file = file
    self.settings = settings
    let isReordered = settings.format == .opus || settings.format == .ogg
    order = isReordered ? VorbisOrder(settings.stream.channels) : nil
  }

  private static func handle(
    of file: CheckedFile, _ settings: SoundFileSettings, from base: Int64
  ) throws(SoundFileError) -> SoundFileHandle {
    var info = settings.info
    let handle = try SoundFileHandle(writing: file, from: base, &info)
    try handle.prepare(for: settings)
    return handle
  }

  /// Updates the header of a WAV, CAF or AIFF file to the current size. Other files do not change.
  package func updateHeader() throws(SoundFileError) {
    try file.throwFault()
    guard let header = settings.header else { return }
    try header.write(to: file, audio: file.end - Int64(header.count), end: file.end)
  }

  /// Ends the file and waits until the whole file is on the disk.
  ///
  /// - Parameter cues: the marks. They are written only to WAV files, and to AIFF files if
  ///   `hasTail` is set.
  package consuming func close(cues: [SoundFileCue] = []) throws(SoundFileError) {
    let (file, settings) = (file, settings)
    try file.throwFault()
    try handle?.close()
    if let header = settings.header {
      let hasTail = settings.format == .wav || settings.hasTail
      let tail = hasTail ? header.tail(cues: cues, tags: settings.tags) : []
      try header.end(file, audio: file.end - Int64(header.count), tail: tail)
    } else {
      try VorbisChapters.put(settings.heldChapters, in: file, at: settings.stream.rate)
    }
    try file.finish()
  }
}

extension SoundFileWriter {
  /// Writes whole frames of samples of any format.
  package mutating func write(_ frames: RawSpan, of sample: SampleFormat) throws(SoundFileError) {
    let size = sample.bytesPerSample
    let count = frames.byteCount / size
    precondition(
      count * size == frames.byteCount && count.isMultiple(of: channels), "part of a frame")
    if settings.format.isUncompressed && sample == settings.stream.sample {
      try file.write(frames, at: file.end)
    } else {
      let step = Self.blockSize / channels * channels
      for start in stride(from: 0, to: count, by: step) {
        let block = start..<min(start + step, count)
        let bytes = frames.extracting((block.lowerBound * size)..<(block.upperBound * size))
        try writeConverted(bytes, of: sample, count: block.count)
      }
    }
    framesWritten += FrameCount(count / channels)
  }

  private var channels: Int { settings.stream.channels.value }

  /// Converts samples and writes them. This is needed if the file has another sample format or is
  /// encoded.
  ///
  /// libsndfile is not used for the conversion. By default, it rounds floats down and wraps on
  /// overflow. Rounding down adds an offset of half a step.
  private mutating func writeConverted(
    _ bytes: RawSpan, of sample: SampleFormat, count: Int
  ) throws(SoundFileError) {
    let own = settings.stream.sample
    let room = Self.blockSize * own.bytesPerSample
    if settings.format.isUncompressed {
      Self.convert(bytes, from: sample, to: own, into: &samples, room)
      try file.write(
        unsafe samples.span.bytes.extracting(..<(count * own.bytesPerSample)), at: file.end)
    } else if settings.takesFloats {
      Self.convert(bytes, from: sample, to: .float32, into: &floats, Self.blockSize)
      order?.apply(to: &floats, upTo: count)
      try handle?.write(floats.span.extracting(..<count))
    } else if sample == .int16, own == .int16 {
      try handle?.write(shorts: bytes)
    } else {
      if sample == own {
        Self.convert(bytes, from: own, to: .int32, into: &integers, Self.blockSize)
      } else {
        // First round to the bit depth of the file, because libsndfile cuts off the lower bits.
        Self.convert(bytes, from: sample, to: own, into: &samples, room)
        Self.convert(samples, count, from: own, to: .int32, into: &integers)
      }
      try handle?.write(integers.span.extracting(..<count))
    }
  }

  private static func convert(
    _ samples: [UInt8], _ count: Int, from source: SampleFormat, to target: SampleFormat,
    into numbers: inout [Int32]
  ) {
    let bytes = unsafe samples.span.bytes.extracting(..<(count * source.bytesPerSample))
    convert(bytes, from: source, to: target, into: &numbers, blockSize)
  }

  private static func convert<Number: BitwiseCopyable>(
    _ bytes: RawSpan, from source: SampleFormat, to target: SampleFormat,
    into numbers: inout [Number], _ count: Int
  ) where Number: ExpressibleByIntegerLiteral {
    if numbers.isEmpty { numbers = Array(repeating: 0, count: count) }
    SampleConversion(from: source, to: target).convert(bytes, into: &numbers)
  }
}
