package import Audio
internal import CSndFile
package import Linux
internal import RealTime

/// A sound file that is being read; one thread owns it.
package struct SoundFileReader: ~Copyable, Sendable, FrameReader {
  /// The rate by the file's header.
  package let rate: SampleRate
  /// The channels by the file's header.
  package let channels: ChannelCount
  /// The frames of this stream, counted or stated; nil where neither is known.
  package let frames: FrameCount?

  /// The place of each channel; nil where the file does not state it.
  package let speakers: [Speaker]?

  private let handle: SoundFileHandle
  let description: SF_INFO
  private var place: FrameCount = 0
  /// Memory for samples that the library would turn into wrong floats; none for others.
  private var integers: [Int32]
  private var isWide: Bool { !integers.isEmpty }

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

  /// Reads the first stream from a descriptor that is open for reading.
  ///
  /// - Parameters:
  ///   - raw: the format of the samples where the file does not say; nil asks the file.
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
    let surveyed = try SurveyedFile(file, raw: raw, among: kinds)
    try self.init(surveyed, streamAt: 0)
  }

  /// Opens one stream of a file that was surveyed.
  init(_ surveyed: SurveyedFile, streamAt index: Int) throws(SoundFileError) {
    let (file, stream) = (surveyed.file, surveyed.survey.streams[index])
    var info = stream.raw.map(SF_INFO.init) ?? SF_INFO()
    let handle: SoundFileHandle
    do throws(SoundFileError) {
      handle = try SoundFileHandle(reading: stream.view, of: file, &info)
    } catch {
      throw surveyed.refusal(error)
    }
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

  /// True where the samples are integers, which `Int32` holds without a loss.
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
    if isWide { return try readWide(into: &samples) }
    let count = try handle.read(room(for: samples.count), into: &samples)
    place += FrameCount(count)
    return count
  }

  private mutating func readWide(
    into samples: inout MutableSpan<Float>
  ) throws(SoundFileError) -> Int {
    let room = room(for: min(samples.count, integers.count))
    let count = try Self.read(room, from: handle, into: &integers)
    SampleConversion(from: .int32, to: .float32).convert(
      unsafe integers.span.extracting(first: count * channels.value).bytes, into: &samples)
    place += FrameCount(count)
    return count
  }

  private static func read(
    _ frames: Int, from handle: borrowing SoundFileHandle, into integers: inout [Int32]
  ) throws(SoundFileError) -> Int {
    var span = integers.mutableSpan
    return try handle.read(frames, into: &span)
  }

  /// The frames that are left, as far as samples fit: beyond them a library reads bytes that are
  /// not audio.
  private func room(for samples: Int) -> Int {
    let most = samples / channels.value
    guard let frames else { return most }
    return Int(min(FrameCount(most), max(0, frames - place)).value)
  }

  /// Reads whole frames of integers that fill 32 bits and returns how many; 0 is the end.
  package mutating func read(
    into samples: inout MutableSpan<Int32>
  ) throws(SoundFileError) -> Int {
    precondition(holdsIntegers, "floats would become silence")
    let count = try handle.read(room(for: samples.count), into: &samples)
    place += FrameCount(count)
    return count
  }

  /// Reads to the end and returns the number of whole frames; the last block of a torn file is not
  /// counted.
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

  /// Continues reading at `frame`; a position past the end is the end.
  package mutating func seek(to frame: FrameCount) throws(SoundFileError) {
    let target = min(max(frame, 0), frames ?? frame)
    try handle.seek(to: target.value)
    place = target
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

/// A sound file of any program, gone through once: the streams that lie in it, each for a reader of
/// its own.
package struct SurveyedFile: Sendable {
  let file: CheckedFile
  let survey: SoundSurvey
  /// True where the samples have no header.
  package let isRaw: Bool

  /// Goes through a file that is open for reading.
  ///
  /// - Parameters:
  ///   - raw: the format of the samples of a file without a header; nil reads it from the file.
  ///   - kinds: the files that are read.
  package init(
    _ descriptor: consuming Descriptor, named label: String, raw: StreamFormat? = nil,
    among kinds: SoundKinds = .common
  ) throws(SoundFileError) {
    try self.init(CheckedFile(descriptor, named: label), raw: raw, among: kinds)
  }

  init(
    _ file: CheckedFile, raw: StreamFormat?, among kinds: SoundKinds
  ) throws(SoundFileError) {
    self.file = file
    isRaw = raw != nil
    if let raw {
      let stream = RawStream(
        rate: raw.rate, channels: raw.channels, encoding: .plain(raw.sample))
      survey = SoundSurvey([SoundStream(FileView(0..<file.end), raw: stream)])
    } else {
      survey = try file.survey(among: kinds)
    }
  }

  /// The streams, which are played one after the other.
  package var streamCount: Int { survey.streams.count }

  /// A reader of one stream.
  package func reader(of index: Int) throws(SoundFileError) -> SoundFileReader {
    try SoundFileReader(self, streamAt: index)
  }

  /// The error of a decoder that does not open the file; a library's message is for programmers.
  func refusal(_ error: SoundFileError) -> SoundFileError {
    guard case .library(let function, let subject, _, _) = error, function != "dlopen" else {
      return error
    }
    return .undecodable(subject: subject, container: (try? file.containerName()) ?? "sound")
  }

  /// Throws where the file is not whole, as one that was copied in part.
  ///
  /// A file that does not state its length, because it was written into a pipe, is whole.
  package func check() throws(SoundFileError) {
    if let fault = survey.fault { throw fault }
  }

  /// Throws where the file is known to hold samples, although no decoder finds any.
  package func checkEmptiness() throws(SoundFileError) {
    if survey.hasSamples { throw .unfinished(subject: file.label) }
  }

  /// The facts of all streams together, at the rate of the first.
  package func info() throws(SoundFileError) -> SoundFileInfo {
    let first = try reader(of: 0)
    var info = first.info
    info.bytes = file.end
    if let container = survey.container { info.container = container }
    for index in 1..<max(1, streamCount) {
      let next = try reader(of: index)
      guard let frames = info.frames, let more = next.frames else {
        info.frames = nil
        break
      }
      info.frames = frames + more.converted(from: next.rate, to: info.rate)
    }
    if info.frames == 0 { try checkEmptiness() }
    return info
  }
}

extension SoundFileReader {
  /// The facts that the file states about itself.
  package var info: SoundFileInfo {
    let format = Int(description.format)
    return SoundFileInfo(
      container: name(of: format & SF_FORMAT_TYPEMASK),
      encoding: name(of: isWide ? SF_FORMAT_PCM_32 : format & SF_FORMAT_SUBMASK),
      bits: bits, rate: rate, channels: channels, frames: frames,
      bytes: handle.file.end, tags: tags, cues: cues)
  }

  /// The usual extension of such a file's name, without the dot.
  package var ending: String {
    switch Int(description.format) & SF_FORMAT_TYPEMASK {
    case SF_FORMAT_WAV, SF_FORMAT_WAVEX: "wav"
    case SF_FORMAT_RF64: "rf64"
    case SF_FORMAT_W64: "w64"
    case SF_FORMAT_FLAC: "flac"
    case SF_FORMAT_OGG: "ogg"
    case SF_FORMAT_AIFF: "aiff"
    case SF_FORMAT_AU: "au"
    case SF_FORMAT_CAF: "caf"
    default: "mp3"
    }
  }

  private var bits: Int? {
    if isWide { return 32 }
    return switch Int(description.format) & SF_FORMAT_SUBMASK {
    case SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_ULAW, SF_FORMAT_ALAW: 8
    case SF_FORMAT_PCM_16, SF_FORMAT_ALAC_16: 16
    case SF_FORMAT_ALAC_20: 20
    case SF_FORMAT_PCM_24, SF_FORMAT_ALAC_24: 24
    case SF_FORMAT_PCM_32, SF_FORMAT_ALAC_32, SF_FORMAT_FLOAT: 32
    case SF_FORMAT_DOUBLE: 64
    default: nil
    }
  }

  /// The corresponding command is SFC_GET_FORMAT_INFO.
  private func name(of format: Int) -> String {
    var info = unsafe SF_FORMAT_INFO()
    unsafe info.format = CInt(format)
    _ = unsafe handle.command(SFC_GET_FORMAT_INFO, &info)
    return unsafe info.name.map { unsafe String(cString: $0) } ?? "unknown"
  }

  private var tags: SoundFileTags {
    var tags: SoundFileTags = [:]
    for tag in SoundFileTag.allCases {
      tags[tag] = handle.string(tag.code)
    }
    return tags
  }

  private var cues: [SoundFileCue] {
    // A file that cannot be read here has no marks; the reading of its samples throws the reason.
    if let own = try? handle.file.waveCues() { own } else { libraryCues }
  }

  /// The corresponding command is SFC_GET_CUE; it fills a count and as many points as there is room
  /// for.
  private var libraryCues: [SoundFileCue] {
    var count: UInt32 = 0
    guard handle.command(SFC_GET_CUE_COUNT, &count) == SF_TRUE, count > 0 else { return [] }
    let first = MemoryLayout<SF_CUES>.offset(of: \.cue_points) ?? 4
    let size = first + Int(count) * MemoryLayout<SF_CUE_POINT>.stride
    return unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 4) { memory in
      guard unsafe handle.fill(memory, by: SFC_GET_CUE) else { return [] }
      return (0..<Int(count)).map { index in
        let offset = first + index * MemoryLayout<SF_CUE_POINT>.stride
        return unsafe SoundFileCue(memory.load(fromByteOffset: offset, as: SF_CUE_POINT.self))
      }
    }
  }
}

extension SoundFileCue {
  fileprivate init(_ point: SF_CUE_POINT) {
    let label = unsafe withUnsafeBytes(of: point.name) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    self.init(at: FrameCount(Int64(point.sample_offset)), label: label)
  }
}

extension SoundFileHandle {
  /// The corresponding C function is `sf_get_string`.
  fileprivate borrowing func string(_ code: CInt) -> String? {
    unsafe ask { unsafe $0.get_string($1, code) }.map { unsafe String(cString: $0) }
  }

  fileprivate borrowing func fill(_ memory: UnsafeMutableRawBufferPointer, by command: Int) -> Bool
  {
    let size = CInt(memory.count)
    return unsafe ask {
      unsafe $0.command($1, CInt(command), memory.baseAddress, size)
    } == SF_TRUE
  }
}
