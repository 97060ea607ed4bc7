package import Audio
package import Linux
internal import RealTime

/// A WAV file of 16-bit integers with nothing but its samples, which takes no library to read.
package struct PlainWave: ~Copyable, FrameReader {
  /// The rate by the header.
  package var rate: SampleRate { stream.rate }
  /// The channels by the header.
  package var channels: ChannelCount { stream.channels }
  /// The usual order for that many channels; the header has no mask.
  package var speakers: [Speaker]? { .usual(channels) }
  /// The whole frames up to the end that the header states, or to that of the file.
  package var frames: FrameCount? { FrameCount((end - Self.headBytes) / bytesPerFrame) }
  /// The missing part of a file that ends early, or nil if it is whole.
  package let flaw: SoundFlaw?
  /// Always true: the samples have 16 bits.
  package var holdsIntegers: Bool { true }
  /// Always true, too.
  package var fits16Bits: Bool { true }

  private let file: CheckedFile
  private let stream: StreamFormat
  private let end: Int64
  private var place = Self.headBytes

  private static let headBytes: Int64 = 44

  private var bytesPerFrame: Int64 { Int64(stream.bytesPerFrame) }

  /// Reads from a descriptor that is open for reading; any other file is refused.
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

  /// Reads whole frames, full scale being 1, and returns how many; 0 is the end.
  package mutating func read(
    into samples: inout MutableSpan<Float>
  ) throws(SoundFileError) -> Int {
    let each = stream.bytesPerFrame
    let most = min(samples.count / channels.value, Int(end - place) / each)
    let bytes = try file.bytes(at: place, upTo: most * each)
    let count = bytes.count / each
    SampleConversion(from: .int16, to: .float32).convert(
      unsafe bytes.span.bytes.extracting(first: count * each), into: &samples)
    place += Int64(bytes.count)
    return count
  }

  /// Continues reading at `frame`; a position past the end is the end.
  package mutating func seek(to frame: FrameCount) {
    place = min(Self.headBytes + max(0, frame.value) * bytesPerFrame, end)
  }
}
