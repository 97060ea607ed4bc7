package import Audio

/// The bytes before the samples of a WAV file of ours.
///
/// They have one length for one stream, whatever the file's size, so that one write of less than a page
/// replaces them: RIFF, 28 reserved bytes that become the `ds64` chunk past 4 GiB, `fmt `, for floating-point
/// samples `fact`, and `data`. Up to two channels of integers are plain PCM, the only kind that
/// Python's `wave` opens; libsndfile writes WAVE_FORMAT_EXTENSIBLE in RF64, and cannot be told not to.
/// Sources: EBU Tech 3306 (RF64), RFC 2361 and Microsoft's mmreg.h (`fmt `).
package struct WaveHeader: Hashable, Sendable {
  /// The format of the samples.
  package let stream: StreamFormat

  /// The header for a stream, of a length that depends on nothing else.
  package init(_ stream: StreamFormat) { self.stream = stream }

  /// The header's length in bytes, at which the samples begin.
  package var count: Int { 64 + kind.formatSize + (stream.sample.isFloat ? 12 : 0) }

  /// The header of a file of `end` bytes of which `audio` are samples; a foreign one may claim any numbers.
  package func bytes(audio: Int64, end: Int64) -> [UInt8] {
    let isLarge = end - 8 >= Int64(UInt32.max)
    let frames = audio / Int64(stream.bytesPerFrame)
    var bytes: [UInt8] = []
    bytes.append(name: isLarge ? "RF64" : "RIFF")
    bytes.append(clamping: isLarge ? .max : end - 8)
    bytes.append(name: "WAVE")
    bytes.append(
      chunk: isLarge ? "ds64" : "JUNK",
      isLarge ? largeSizes(audio: audio, end: end, frames: frames) : Array(repeating: 0, count: 28))
    bytes.append(chunk: "fmt ", formatChunk)
    if stream.sample.isFloat {
      var fact: [UInt8] = []
      fact.append(clamping: frames)
      bytes.append(chunk: "fact", fact)
    }
    bytes.append(name: "data")
    bytes.append(clamping: isLarge ? .max : audio)
    return bytes
  }
}

extension WaveHeader {
  /// The three shapes of a `fmt ` chunk.
  private enum Kind {
    case plain, float, extensible

    var formatSize: Int {
      switch self {
      case .plain: 16
      case .float: 18
      case .extensible: 40
      }
    }
  }

  private var kind: Kind {
    if stream.channels > .stereo { return .extensible }
    return stream.sample.isFloat ? .float : .plain
  }

  private var formatTag: UInt16 { stream.sample.isFloat ? 3 : 1 }

  private var formatChunk: [UInt8] {
    var chunk: [UInt8] = []
    chunk.append(little: kind == .extensible ? 0xFFFE : formatTag)
    chunk.append(little: UInt16(stream.channels.value))
    chunk.append(little: UInt32(stream.rate.hertz))
    chunk.append(little: UInt32(stream.bytesPerSecond))
    chunk.append(little: UInt16(stream.bytesPerFrame))
    chunk.append(little: UInt16(stream.sample.bytesPerSample * 8))
    if kind != .plain { chunk.append(little: UInt16(kind.formatSize - 18)) }
    if kind == .extensible { chunk.append(contentsOf: formatExtension) }
    return chunk
  }

  /// No mask of loudspeakers: the channels of a recording are inputs.
  private var formatExtension: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(little: UInt16(stream.sample.bytesPerSample * 8))
    bytes.append(little: UInt32(0))
    bytes.append(little: formatTag)
    bytes += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    return bytes
  }

  private func largeSizes(audio: Int64, end: Int64, frames: Int64) -> [UInt8] {
    var chunk: [UInt8] = []
    chunk.append(little: end - 8)
    chunk.append(little: audio)
    chunk.append(little: frames)
    chunk.append(little: UInt32(0))
    return chunk
  }
}
