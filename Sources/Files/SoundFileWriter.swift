package import Audio
internal import CSndFile
internal import Glibc
package import Linux

/// A sound file that is being written; one thread owns it.
///
/// The first failure is kept: nothing is written after it, and every later call throws it. The frames before it are
/// an exact prefix of the recording. WAV is written as raw samples behind a header of our own (`WaveHeader`).
package struct SoundFileWriter: ~Copyable, Sendable {
  /// The settings that the file was begun with.
  package let settings: SoundFileSettings
  /// The frames that were written without an error.
  package private(set) var framesWritten: FrameCount = 0

  private let handle: SoundFileHandle
  private var integers: [Int32]
  private var floats: [Float]

  /// Samples are converted so many at a time, or somewhat fewer, because libsndfile takes whole frames.
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
    self.integers = Array(repeating: 0, count: settings.takesFloats ? 0 : Self.blockSize)
    self.floats = Array(repeating: 0, count: settings.takesFloats ? Self.blockSize : 0)
  }

  /// The file's length so far.
  package var bytesWritten: Int64 { handle.file.end }

  /// The file itself, for the thread that synchronises it and for a repair after a failure.
  package var file: CheckedFile { handle.file }

  /// Updates the header of a WAV file to the bytes written by now; no other format has such a header.
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

  private mutating func writeConverted(
    _ bytes: RawSpan, of sample: SampleFormat, count: Int
  ) throws(SoundFileError) {
    let conversion = LibrarySamples(
      source: sample, bits: settings.stream.sample.significantBits)
    if settings.takesFloats {
      conversion.floats(bytes, count, into: &floats)
      try handle.write(floats.span.extracting(..<count))
    } else {
      conversion.integers(bytes, count, into: &integers)
      try handle.write(integers.span.extracting(..<count))
    }
  }
}

/// Interleaved samples as numbers that libsndfile takes without a loss: integers that fill 32 bits, or floats.
///
/// libsndfile's own conversion from float to integer rounds down, which leaves a constant of half a step, and wraps
/// by default; here numbers are rounded to the nearest step of the file and clipped at full scale.
struct LibrarySamples {
  let source: SampleFormat
  /// The bits of the file's integers.
  let bits: Int

  /// Fills the first `count` of `output` from the bytes of as many samples.
  func integers(_ bytes: RawSpan, _ count: Int, into output: inout [Int32]) {
    switch source {
    case .int16: fill(&output, count) { Int32(load(bytes, $0, Int16.self)) << 16 }
    case .int24Packed: fill(&output, count) { packed(bytes, $0) }
    case .int24: fill(&output, count) { rounded(load(bytes, $0, Int32.self) << 8) }
    case .int32: fill(&output, count) { rounded(load(bytes, $0, Int32.self)) }
    case .float32: fill(&output, count) { step(Double(load(bytes, $0, Float.self))) }
    case .float64: fill(&output, count) { step(load(bytes, $0, Double.self)) }
    }
  }

  /// Fills the first `count` of `output` from the bytes of as many samples, full scale being 1.
  func floats(_ bytes: RawSpan, _ count: Int, into output: inout [Float]) {
    let fullScale: Float = 0x1p31
    switch source {
    case .int16: fill(&output, count) { Float(load(bytes, $0, Int16.self)) / 0x1p15 }
    case .int24Packed: fill(&output, count) { Float(packed(bytes, $0)) / fullScale }
    case .int24: fill(&output, count) { Float(load(bytes, $0, Int32.self) << 8) / fullScale }
    case .int32: fill(&output, count) { Float(load(bytes, $0, Int32.self)) / fullScale }
    case .float32: fill(&output, count) { load(bytes, $0, Float.self) }
    case .float64: fill(&output, count) { Float(load(bytes, $0, Double.self)) }
    }
  }

  @inline(__always)
  private func fill<Sample>(_ output: inout [Sample], _ count: Int, _ sample: (Int) -> Sample) {
    for index in 0..<count { output[index] = sample(index) }
  }

  @inline(__always)
  private func load<Sample: BitwiseCopyable>(
    _ bytes: borrowing RawSpan, _ index: Int, _ type: Sample.Type
  ) -> Sample {
    unsafe bytes.unsafeLoadUnaligned(
      fromByteOffset: index * MemoryLayout<Sample>.size, as: Sample.self)
  }

  @inline(__always)
  private func packed(_ bytes: borrowing RawSpan, _ index: Int) -> Int32 {
    let low = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index * 3, as: UInt16.self)
    let high = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index * 3 + 2, as: Int8.self)
    return rounded(Int32(high) << 24 | Int32(low) << 8)
  }

  @inline(__always)
  private func rounded(_ value: Int32) -> Int32 {
    guard bits < 32 else { return value }
    let step = Int32(1) << (32 - bits)
    let (sum, overflow) = value.addingReportingOverflow(step / 2)
    return (overflow ? .max : sum) & -step
  }

  /// Rounds to the nearest step and clips at full scale; NaN becomes silence.
  @inline(__always)
  private func step(_ value: Double) -> Int32 {
    let limit = Double(Int64(1) << (bits - 1))
    let scaled = (value * limit).rounded(.toNearestOrEven)
    guard scaled == scaled else { return 0 }
    return Int32(min(max(scaled, -limit), limit - 1)) << (32 - bits)
  }
}
