package import Audio
internal import CSndFile
internal import Linux
internal import RealTime

/// A reader of the samples of a file.
package protocol FrameReader: ~Copyable {
  /// Frames per second.
  var rate: SampleRate { get }
  /// Samples per frame.
  var channels: ChannelCount { get }
  /// The speaker position of each channel. If the file does not state the positions, these are the
  /// default positions for the number of channels. Nil if there are no default positions.
  var speakers: [Speaker]? { get }
  /// The number of frames, or nil if it is unknown.
  var frames: FrameCount? { get }
  /// Whether every sample is an integer within full scale.
  var holdsIntegers: Bool { get }
  /// Whether every sample is an integer of at most 16 bits.
  var fits16Bits: Bool { get }

  /// Reads whole frames, scaled so that full scale is 1. Returns the number of frames, or 0 at the
  /// end.
  mutating func read(into samples: inout MutableSpan<Float>) throws(SoundFileError) -> Int

  /// Continues reading at `frame`. A position after the end counts as the end.
  mutating func seek(to frame: FrameCount) throws(SoundFileError)
}

/// A sound file that is open for reading. Only one thread at a time may use it.
package struct SoundFileReader: ~Copyable, Sendable, FrameReader {
  /// The rate in the file's header.
  package let rate: SampleRate
  /// The channels in the file's header.
  package let channels: ChannelCount
  /// The number of frames of this stream, or nil if it is unknown.
  package let frames: FrameCount?

  /// The speaker position of each channel, as for `FrameReader`.
  package let speakers: [Speaker]?

  let handle: SoundFileHandle
  let description: SF_INFO
  private var position: FrameCount = 0
  /// The buffer for the integer samples of a wide stream (`SoundStream.isWide`), or empty for other
  /// streams. libsndfile would convert the samples of a wide stream to wrong floats.
  private var integers: [Int32]
  var isWide: Bool { !integers.isEmpty }

  /// Opens a stream of a file.
  init(_ file: CheckedFile, _ stream: SoundStream) throws(SoundFileError) {
    var info = stream.raw.map(SF_INFO.init) ?? SF_INFO()
    let handle = try SoundFileHandle(reading: stream.view, of: file, &info)
    guard let rate = SampleRate(Int(info.samplerate)),
      let channels = ChannelCount(Int(info.channels))
    else { throw .notSound(subject: file.label) }
    self.rate = rate
    self.channels = channels
    self.frames = stream.frames ?? (info.frames < .max ? FrameCount(info.frames) : nil)
    self.description = info
    self.speakers = stream.speakers ?? .usual(channels)
    self.handle = handle
    integers = stream.isWide ? [Int32](repeating: 0, count: Self.wideSamples) : []
  }

  private static let wideSamples = 8_192

  /// Whether the samples are integers that `Int32` holds without loss.
  package var holdsIntegers: Bool {
    let encoding = Int(description.format) & SF_FORMAT_SUBMASK
    return [
      SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_PCM_32,
      SF_FORMAT_ALAC_16, SF_FORMAT_ALAC_20, SF_FORMAT_ALAC_24, SF_FORMAT_ALAC_32,
    ].contains(encoding)
  }

  /// Whether the samples are integers of at most 16 bits.
  package var fits16Bits: Bool { holdsIntegers && bits.map { $0 <= 16 } == true }

  /// Reads whole frames, scaled so that full scale is 1. Returns the number of frames, or 0 at the
  /// end.
  package mutating func read(into samples: inout MutableSpan<Float>) throws(SoundFileError) -> Int {
    if isWide { return try readWide(into: &samples) }
    let count = try handle.read(room(for: samples.count), into: &samples)
    position += FrameCount(count)
    return count
  }

  private mutating func readWide(
    into samples: inout MutableSpan<Float>
  ) throws(SoundFileError) -> Int {
    let room = room(for: min(samples.count, integers.count))
    let count = try Self.read(room, from: handle, into: &integers)
    SampleConversion(from: .int32, to: .float32).convert(
      unsafe integers.span.extracting(first: count * channels.value).bytes, into: &samples)
    position += FrameCount(count)
    return count
  }

  private static func read(
    _ frames: Int, from handle: borrowing SoundFileHandle, into integers: inout [Int32]
  ) throws(SoundFileError) -> Int {
    var span = integers.mutableSpan
    return try handle.read(frames, into: &span)
  }

  /// Returns how many frames to read into a buffer for `samples` samples. The result is at most the
  /// number of remaining frames, because libsndfile would also read the bytes after the audio.
  private func room(for samples: Int) -> Int {
    let most = samples / channels.value
    guard let frames else { return most }
    return Int(min(FrameCount(most), max(0, frames - position)).value)
  }

  /// Reads whole frames as integers, scaled to 32 bits. Returns the number of frames, or 0 at the
  /// end.
  package mutating func read(into samples: inout MutableSpan<Int32>) throws(SoundFileError) -> Int {
    precondition(holdsIntegers, "floats would become silence")
    let count = try handle.read(room(for: samples.count), into: &samples)
    position += FrameCount(count)
    return count
  }

  /// The sample format of a WAV, RF64 or W64 file whose samples can be read without a conversion.
  /// Nil for any other file.
  package var plainSample: SampleFormat? {
    let format = Int(description.format)
    let isLittle = format & SF_FORMAT_ENDMASK != SF_ENDIAN_BIG
    let containers = [SF_FORMAT_WAV, SF_FORMAT_WAVEX, SF_FORMAT_RF64, SF_FORMAT_W64]
    guard isLittle, !isWide, containers.contains(format & SF_FORMAT_TYPEMASK) else { return nil }
    return bits == 8 || bits == 64 ? nil : sample
  }

  /// Reads at most `frames` whole frames in the format `plainSample`, or as floats if `plainSample`
  /// is nil. Returns the number of frames, or 0 at the end.
  package mutating func readPlain(
    _ frames: Int, into memory: inout [UInt8]
  ) throws(SoundFileError) -> Int {
    var span = memory.mutableSpan
    var bytes = unsafe span.mutableBytes
    let sample = plainSample ?? .float32
    let size = channels.value * sample.bytesPerSample
    let most = min(frames, bytes.byteCount / size)
    let count: Int
    if plainSample == nil {
      count = try unsafe bytes.withUnsafeMutableBytes { bytes throws(SoundFileError) in
        var floats = unsafe bytes.bindMemory(to: Float.self).mutableSpan
        var part = floats._mutatingExtracting(first: most * channels.value)
        return try read(into: &part)
      }
    } else {
      let wanted = room(for: most * channels.value) * size
      let read = try unsafe handle.call("sf_read_raw") { library, handle in
        unsafe bytes.withUnsafeMutableBytes {
          unsafe library.read_raw(handle, $0.baseAddress, sf_count_t(wanted))
        }
      }
      count = Int(read) / size
      position += FrameCount(count)
    }
    return count
  }

  /// Reads to the end, or to the first error. Returns the number of frames that were read.
  package mutating func countFrames() -> FrameCount {
    var block = [Float](repeating: 0, count: 4_096 * channels.value)
    var total = FrameCount(0)
    while true {
      var samples = block.mutableSpan
      let count = (try? read(into: &samples)) ?? 0
      if count == 0 { return total }
      total += FrameCount(count)
    }
  }

  /// Continues reading at `frame`. A position after the end counts as the end.
  package mutating func seek(to frame: FrameCount) throws(SoundFileError) {
    let target = min(max(frame, 0), frames ?? frame)
    try handle.seek(to: target.value)
    position = target
  }
}

extension SF_INFO {
  fileprivate init(_ stream: RawStream) {
    self.init()
    samplerate = CInt(stream.rate.hertz)
    channels = CInt(stream.channels.value)
    let encoding =
      switch stream.encoding {
      case .unsigned8: SF_FORMAT_PCM_U8
      case .signed8: SF_FORMAT_PCM_S8
      case .signed16: SF_FORMAT_PCM_16
      case .aLaw: SF_FORMAT_ALAW
      case .muLaw: SF_FORMAT_ULAW
      case .plain(let sample): sample.encoding
      }
    let order = stream.isBigEndian ? SF_ENDIAN_BIG : SF_ENDIAN_LITTLE
    format = CInt(SF_FORMAT_RAW | order | encoding)
  }
}
