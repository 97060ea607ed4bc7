internal import Audio

/// Functions that repair WAV files of this program, and that read and write their marks.
package enum WaveRepair {
  /// Returns the plan to repair a file, or nil if the file ends within its header. The file is only
  /// read.
  static func recoveredPlan(for file: CheckedFile) throws(SoundFileError) -> RepairPlan? {
    try RepairPlan.checkBeginning(of: file, ["RIFF", "RF64"])
    let head = try file.bytes(at: 0, upTo: WaveHeader.mostBytes)
    guard let header = WaveHeader(parsing: head) else {
      if file.end < Int64(WaveHeader.mostBytes) { return nil }
      throw .notRepairable(subject: file.label, .foreignHeader)
    }
    let following = try file.bytes(at: WaveExtent.statedTail(header, head: head), upTo: 4)
    let extent = WaveExtent(header, head: head, size: file.end, following: following)
    let frames = extent.audio / Int64(header.stream.bytesPerFrame)
    return RepairPlan(.wav, header.stream, frames: FrameCount(frames), isIntact: extent.isIntact)
  }

  /// Writes cues and texts after the samples of a file. They replace the existing cues and texts.
  /// The file is not read.
  package static func putTail(
    _ cues: [SoundFileCue], _ tags: SoundFileTags, on file: CheckedFile, after plan: RepairPlan
  ) throws(SoundFileError) {
    guard plan.format == .wav, plan.fits(file.end) else {
      throw .notRepairable(subject: file.label, .unfitPlan)
    }
    let header = WaveHeader(plan.stream)
    try header.end(file, audio: plan.sampleBytes, tail: header.tail(cues: cues, tags: tags))
    try file.finish()
  }

  /// Returns the marks of a WAV file of this program, or nil if another program wrote the file.
  static func cues(of file: CheckedFile) throws(SoundFileError) -> [SoundFileCue]? {
    let head = try file.bytes(at: 0, upTo: WaveHeader.mostBytes)
    guard let header = WaveHeader(parsing: head) else { return nil }
    let start = WaveExtent.statedTail(header, head: head)
    let size = min(max(0, file.end - min(start, file.end)), mostTailBytes)
    return WaveTail.cues(in: try file.bytes(at: start, upTo: Int(size)))
  }

  /// The maximum size of a tail to read. It is enough for far more marks than a user sets, and
  /// needs little memory.
  private static let mostTailBytes: Int64 = 1 << 24
}

/// The end of a WAV file's samples, determined from its header and its size.
struct WaveExtent: Hashable {
  /// The size of the whole frames in bytes.
  let audio: Int64
  /// Whether the header and the file size agree exactly.
  let isIntact: Bool

  /// Examines a file of `size` bytes that begins with `head`.
  ///
  /// If the recording process was killed, the header states fewer samples than the file contains.
  /// After a power failure, the header may state more samples. The bytes after the stated samples
  /// are audio, unless they begin like a tail. If they do, the process was killed while it closed
  /// the file.
  ///
  /// - Parameter following: up to 4 bytes at the offset `statedTail`.
  init(_ header: WaveHeader, head: [UInt8], size: Int64, following: [UInt8]) {
    let stated = header.statedSizes(in: head)
    let frame = Int64(header.stream.bytesPerFrame)
    let available = (size - Int64(header.count)) / frame * frame
    let isWhole = stated.audio <= available && stated.audio.isMultiple(of: frame)
    let endsThere = size - Int64(header.count) - 1 <= stated.audio
    let isStated = isWhole && (endsThere || WaveTail.begins(with: following))
    audio = isStated ? stated.audio : available
    isIntact =
      header.bytes(audio: audio, end: size).elementsEqual(head.prefix(header.count))
      && isStated && size >= Int64(header.count) + audio.padded
  }

  /// Returns the offset where a tail would begin according to the header.
  static func statedTail(_ header: WaveHeader, head: [UInt8]) -> Int64 {
    let stated = header.statedSizes(in: head).audio
    let (tail, overflow) = Int64(header.count).addingReportingOverflow(stated)
    return overflow || tail == .max ? .max : tail.padded
  }
}

extension Int64 {
  /// The number rounded up to an even number. In RIFF, every chunk begins at an even offset.
  var padded: Int64 { self + (self & 1) }
}
