package import Audio
package import Linux
internal import RealTime

/// A WAV file that contains only 16-bit integer samples. Reading it needs no library.
package struct PlainWave: ~Copyable, FrameReader {
  /// The rate in the header.
  package var rate: SampleRate { stream.rate }
  /// The channels in the header.
  package var channels: ChannelCount { stream.channels }
  /// The default speaker positions for this number of channels, because the header has no speaker
  /// mask.
  package var speakers: [Speaker]? { .usual(channels) }
  /// The number of whole frames that the header states. If the file ends earlier, the number of
  /// whole frames in the file.
  package var frames: FrameCount? { FrameCount((end - Self.headBytes) / bytesPerFrame) }
  /// The missing part of the file if it ends early, or nil if the file is whole.
  package let flaw: SoundFlaw?
  /// Always true, because the samples are 16-bit integers.
  package var holdsIntegers: Bool { true }
  /// Always true.
  package var fits16Bits: Bool { true }

  private let file: CheckedFile
  private let stream: StreamFormat
  private let end: Int64
  private var offset = Self.headBytes

  private static let headBytes: Int64 = 44

  private var bytesPerFrame: Int64 { Int64(stream.bytesPerFrame) }

  /// Reads the header from a descriptor that is open for reading. Throws if the file is of another
  /// kind.
  package init(_ descriptor: consuming Descriptor, named label: String) throws(SoundFileError) {
    let file = try CheckedFile(descriptor, named: label)
    let head = try file.bytes(at: 0, upTo: Int(Self.headBytes))
    guard head.count == Self.headBytes, head.name(at: 0) == "RIFF", head.name(at: 8) == "WAVE",
      head.name(at: 12) == "fmt ", head.number(at: 16, as: UInt32.self) == 16,
      head.name(at: 36) == "data",
      let stream = StreamFormat(waveFormat: head, at: 20), stream.sample == .int16
    else { throw .notSound(subject: label) }
    let stated = Int64(head.number(at: 40, as: UInt32.self))
    let there = min(stated, file.end - Self.headBytes)
    let (frames, all) = (there / Int64(stream.bytesPerFrame), stated / Int64(stream.bytesPerFrame))
    if there < stated, frames == 0 {
      throw .cutOff(subject: label, expected: Self.headBytes + stated, actual: file.end)
    }
    flaw =
      there < stated
      ? SoundFlaw(
        frames: FrameCount(frames), missing: FrameCount(all - frames), isCutShort: true,
        trailingBytes: 0, isRepairable: true) : nil
    (self.file, self.stream, self.end) = (file, stream, Self.headBytes + there)
  }

  /// Reads whole frames, scaled so that full scale is 1. Returns the number of frames, or 0 at the
  /// end.
  package mutating func read(into samples: inout MutableSpan<Float>) throws(SoundFileError) -> Int {
    let each = stream.bytesPerFrame
    let most = min(samples.count / channels.value, Int(end - offset) / each)
    let bytes = try file.bytes(at: offset, upTo: most * each)
    let count = bytes.count / each
    SampleConversion(from: .int16, to: .float32).convert(
      unsafe bytes.span.bytes.extracting(first: count * each), into: &samples)
    offset += Int64(bytes.count)
    return count
  }

  /// Continues reading at `frame`. A position after the end counts as the end.
  package mutating func seek(to frame: FrameCount) {
    offset = min(Self.headBytes + max(0, frame.value) * bytesPerFrame, end)
  }
}
