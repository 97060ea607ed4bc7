package import Audio
internal import CSndFile
package import Linux

/// A sound file that is being read; one thread owns it.
package struct SoundFileReader: ~Copyable, Sendable, FrameReader {
  package let rate: SampleRate
  package let channels: ChannelCount
  package let frames: FrameCount?

  let handle: SoundFileHandle
  let description: SF_INFO

  /// Opens a file by its path; a directory, a pipe or a device is refused and never waited for.
  package init(path: String) throws(SoundFileError) {
    let descriptor: Descriptor
    do {
      descriptor = try Descriptor(opening: path, .nonBlocking)
    } catch {
      throw .system(error)
    }
    try self.init(descriptor, named: path)
  }

  /// Reads from a descriptor that is open for reading.
  ///
  /// - Parameters:
  ///   - raw: what the samples are where the file does not say; nil asks the file.
  ///   - kinds: the files that are read.
  package init(
    _ descriptor: consuming Descriptor, named label: String, raw: StreamFormat? = nil,
    among kinds: SoundKinds = .common
  ) throws(SoundFileError) {
    let file = try CheckedFile(descriptor, named: label)
    try self.init(file, raw: raw, among: kinds)
  }

  init(
    _ file: CheckedFile, raw: StreamFormat?, among kinds: SoundKinds = .common
  ) throws(SoundFileError) {
    if raw == nil {
      let head = try file.bytes(at: 0, upTo: FileMagic.count)
      guard FileMagic.isKnown(head, among: kinds) else { throw .notSound(subject: file.label) }
    }
    var info = raw.map(SF_INFO.init(raw:)) ?? SF_INFO()
    let correction = raw == nil ? try file.sampleExtent()?.correction : nil
    let handle = try SoundFileHandle(
      file, from: 0, mode: SFM_READ, &info, correcting: correction)
    guard let rate = SampleRate(Int(info.samplerate)),
      let channels = ChannelCount(Int(info.channels))
    else { throw .notSound(subject: file.label) }
    self.rate = rate
    self.channels = channels
    self.frames = info.frames < .max ? FrameCount(info.frames) : nil
    self.description = info
    self.handle = handle
  }

  /// Throws where the file ends before what it claims to hold, as one does that was copied in part.
  ///
  /// A file that does not know its length, because it was written into a pipe, is whole.
  package func checkExtent() throws(SoundFileError) {
    let hasSamples = try handle.file.checkExtent()
    if hasSamples && frames == 0 { throw .unfinished(subject: handle.file.label) }
  }

  /// Whether the samples are integers, which `Int32` holds without a loss.
  package var holdsIntegers: Bool {
    let encoding = Int(description.format) & SF_FORMAT_SUBMASK
    return [
      SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_PCM_32,
      SF_FORMAT_ALAC_16, SF_FORMAT_ALAC_20, SF_FORMAT_ALAC_24, SF_FORMAT_ALAC_32,
    ].contains(encoding)
  }

  /// Reads whole frames, full scale being 1, and returns how many; 0 is the end.
  package mutating func read(
    into samples: inout MutableSpan<Float>
  ) throws(SoundFileError) -> Int {
    try handle.read(samples.count / channels.value, into: &samples)
  }

  /// Reads whole frames of integers that fill 32 bits and returns how many; 0 is the end.
  package mutating func read(
    into samples: inout MutableSpan<Int32>
  ) throws(SoundFileError) -> Int {
    precondition(holdsIntegers, "floats would become silence")
    return try handle.read(samples.count / channels.value, into: &samples)
  }

  /// Reads to the end and returns how many whole frames came; the last block of a torn file is none of them.
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

  /// Goes on at `frame`; past the end is the end.
  package mutating func seek(to frame: FrameCount) throws(SoundFileError) {
    let target = min(max(frame, 0), frames ?? frame)
    try handle.seek(to: target.value)
  }
}

extension SF_INFO {
  fileprivate init(raw stream: StreamFormat) {
    self.init()
    samplerate = CInt(stream.rate.hertz)
    channels = CInt(stream.channels.value)
    format = CInt(SF_FORMAT_RAW | SF_ENDIAN_LITTLE | stream.sample.encoding)
  }
}
