package import Audio
internal import CSndFile
package import Linux
internal import RealTime

/// A sound file that is being written; one thread owns it.
///
/// The first failure is kept: nothing is written after it, and every later call throws it. The
/// frames before it are an exact prefix of the recording. WAV is written as raw samples behind a
/// header of our own (`WaveHeader`).
package struct SoundFileWriter: ~Copyable, Sendable {
  /// The settings that the file was begun with.
  package let settings: SoundFileSettings
  /// The frames that were written without an error.
  package private(set) var framesWritten: FrameCount = 0

  private let handle: SoundFileHandle
  /// Samples in the format of the file.
  private var samples: [UInt8]
  /// Numbers that libsndfile takes without a loss: integers that fill 32 bits, or floats.
  private var integers: [Int32]
  private var floats: [Float]

  /// Samples are converted so many at a time, or somewhat fewer, because libsndfile takes whole
  /// frames.
  private static let blockSize = 8_192

  /// Begins a file in `descriptor`, which is open for reading and writing, and empty.
  package init(
    _ descriptor: consuming Descriptor, named label: String, _ settings: SoundFileSettings
  ) throws(SoundFileError) {
    try self.init(CheckedFile(descriptor, named: label), settings)
  }

  /// Begins a file that is checked already, and empty.
  package init(_ file: CheckedFile, _ settings: SoundFileSettings) throws(SoundFileError) {
    try settings.format.check(settings.stream)
    let base = Int64(settings.waveHeader?.count ?? 0)
    if let header = settings.waveHeader { try file.writeHeader(header, audio: 0, end: base) }
    var info = settings.info
    let handle = try SoundFileHandle(writing: file, from: base, &info)
    try handle.prepare(for: settings)
    self.handle = handle
    self.settings = settings
    let (room, takesFloats) = (Self.blockSize, settings.takesFloats)
    samples = Array(repeating: 0, count: room * settings.stream.sample.bytesPerSample)
    integers = Array(repeating: 0, count: takesFloats ? 0 : room)
    floats = Array(repeating: 0, count: takesFloats ? room : 0)
  }

  /// The file's length so far.
  package var bytesWritten: Int64 { handle.file.end }

  /// The file itself, for the thread that synchronises it and for a repair after a failure.
  package var file: CheckedFile { handle.file }

  /// Updates the header of a WAV file to the bytes written by now; no other format has such a
  /// header.
  package func updateHeader() throws(SoundFileError) {
    try file.throwFault()
    guard let header = settings.waveHeader else { return }
    try file.writeHeader(header, audio: file.end - Int64(header.count), end: file.end)
  }

  /// Ends the file and waits until all of it is on the disk.
  ///
  /// - Parameter cues: marks; only WAV can hold them.
  package consuming func close(cues: [SoundFileCue] = []) throws(SoundFileError) {
    let (file, settings) = (handle.file, settings)
    try file.throwFault()
    try handle.close()
    if let header = settings.waveHeader {
      let tail = WaveTail.bytes(cues: cues, tags: settings.tags)
      try file.endWave(header, audio: file.end - Int64(header.count), tail: tail)
    }
    try file.finish()
  }
}

extension SoundFileWriter {
  /// Writes whole frames of samples of any kind.
  package mutating func write(
    _ frames: RawSpan, of sample: SampleFormat
  ) throws(SoundFileError) {
    let size = sample.bytesPerSample
    let count = frames.byteCount / size
    precondition(
      count * size == frames.byteCount && count.isMultiple(of: channels), "part of a frame")
    if settings.format.isUncompressed && sample == settings.stream.sample {
      try handle.write(frames)
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

  /// Writes whole frames of 16-bit samples.
  package mutating func write(_ samples: Span<Int16>) throws(SoundFileError) {
    try unsafe write(samples.bytes, of: .int16)
  }

  /// Writes whole frames of 32-bit samples.
  package mutating func write(_ samples: Span<Int32>) throws(SoundFileError) {
    try unsafe write(samples.bytes, of: .int32)
  }

  /// Writes whole frames of samples from −1 to 1.
  package mutating func write(_ samples: Span<Float>) throws(SoundFileError) {
    try unsafe write(samples.bytes, of: .float32)
  }

  /// Writes whole frames of samples from −1 to 1.
  package mutating func write(_ samples: Span<Double>) throws(SoundFileError) {
    try unsafe write(samples.bytes, of: .float64)
  }

  private var channels: Int { settings.stream.channels.value }

  /// Writes samples of another format, or to a file that keeps none as they are.
  ///
  /// Converted here, since libsndfile's own conversion from float to integer rounds down, which
  /// leaves a constant of half a step, and wraps by default.
  private mutating func writeConverted(
    _ bytes: RawSpan, of sample: SampleFormat, count: Int
  ) throws(SoundFileError) {
    let own = settings.stream.sample
    if settings.format.isUncompressed {
      Self.convert(bytes, from: sample, to: own, into: &samples)
      try handle.write(unsafe samples.span.bytes.extracting(..<(count * own.bytesPerSample)))
    } else if settings.takesFloats {
      Self.convert(bytes, from: sample, to: .float32, into: &floats)
      try handle.write(floats.span.extracting(..<count))
    } else {
      if sample == own {
        Self.convert(bytes, from: own, to: .int32, into: &integers)
      } else {
        // Rounded to the steps of the file first: the library cuts off the bits below them.
        Self.convert(bytes, from: sample, to: own, into: &samples)
        Self.convert(samples, count, from: own, to: .int32, into: &integers)
      }
      try handle.write(integers.span.extracting(..<count))
    }
  }

  private static func convert(
    _ samples: [UInt8], _ count: Int, from source: SampleFormat, to target: SampleFormat,
    into numbers: inout [Int32]
  ) {
    let bytes = unsafe samples.span.bytes.extracting(..<(count * source.bytesPerSample))
    convert(bytes, from: source, to: target, into: &numbers)
  }

  private static func convert<Number: BitwiseCopyable>(
    _ bytes: RawSpan, from source: SampleFormat, to target: SampleFormat,
    into numbers: inout [Number]
  ) {
    var room = numbers.mutableSpan
    var memory = unsafe room.mutableBytes
    SampleConversion(from: source, to: target).convert(bytes, into: &memory)
  }
}
