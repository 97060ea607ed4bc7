internal import Audio

/// The fields of a WAV file's `fmt ` chunk that are needed before a decoder reads the file.
struct WaveFormat {
  private let tag: UInt16
  /// The speaker position of each channel, or nil if there is no mask.
  let speakers: [Speaker]?
  /// The stream of a big-endian file if decoders do not support its sample format, otherwise nil.
  let swapped: RawStream?

  /// Parses the content of the chunk. The result is nil if the content is too short.
  init?(_ content: [UInt8], isSwapped: Bool) {
    guard content.count >= 16 else { return nil }
    func short(_ offset: Int) -> UInt16 {
      let number = content.number(at: offset, as: UInt16.self)
      return isSwapped ? number.byteSwapped : number
    }
    func long(_ offset: Int) -> UInt32 {
      let number = content.number(at: offset, as: UInt32.self)
      return isSwapped ? number.byteSwapped : number
    }
    let isExtensible = short(0) == 0xFFFE && content.count >= 40
    tag = isExtensible ? short(24) : short(0)
    let channels = ChannelCount(Int(short(2)))
    speakers =
      isExtensible
      ? channels.flatMap { [Speaker](waveMask: long(20), channels: $0) } : nil
    let formats: [UInt16: SampleFormat] = [24: .int24Packed, 32: .int32]
    guard isSwapped, tag == 1, let sample = formats[short(14)], let channels,
      let rate = SampleRate(Int(long(4)))
    else {
      swapped = nil
      return
    }
    swapped = RawStream(rate: rate, channels: channels, encoding: .plain(sample), isBigEndian: true)
  }

  /// Whether the samples are MPEG audio frames.
  var holdsMPEG: Bool { tag == 0x50 || tag == 0x55 }

  /// Whether RF64 can hold the samples: integers, floats, A-law or µ-law.
  var fitsLargeFile: Bool { [1, 3, 6, 7].contains(tag) }

  /// The name of the encoding if it is a known encoding that is not decoded, otherwise nil.
  var undecodedName: String? { Self.undecoded[tag] }

  private static let undecoded: [UInt16: String] = [
    0x0020: "Yamaha ADPCM", 0x0022: "TrueSpeech", 0x028F: "G.722", 0x0042: "G.723.1",
    0x0045: "G.726", 0x00FF: "AAC", 0x0160: "WMA",
    0x0161: "WMA", 0x0162: "WMA", 0x0163: "WMA", 0x0270: "ATRAC3", 0x1600: "AAC",
    0x1610: "AAC", 0x2000: "AC-3", 0x2001: "DTS", 0x566F: "Vorbis", 0x674F: "Vorbis",
    0xA109: "Speex", 0xF1AC: "FLAC",
  ]

  /// Returns the beginning of a WAV file with this `fmt ` chunk, up to its samples.
  static func header(_ format: [UInt8], samples: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    let isLarge = samples > Int64(UInt32.max) - (1 << 16)
    let chunk = Int64(format.count + format.count % 2)
    let rest = 4 + 8 + chunk + 8 + samples.padded
    if isLarge {
      bytes = largeHead(rest: rest, samples: samples)
    } else {
      bytes.append(name: "RIFF")
      bytes.append(clamping: rest)
      bytes.append(name: "WAVE")
    }
    bytes.append(chunk: "fmt ", format)
    bytes.append(name: "data")
    bytes.append(clamping: isLarge ? .max : samples)
    return bytes
  }

  /// The length of the beginning of a RIFF file, which `largeHead` replaces.
  static let headBytes = 12
  /// The length of `largeHead`.
  static let largeHeadBytes = headBytes + sizesBytes
  /// The length of the `ds64` chunk.
  private static let sizesBytes = 36

  /// Returns the beginning of an RF64 file, up to the end of the `ds64` chunk.
  ///
  /// - Parameters:
  ///   - rest: the size that the file would have in RIFF, without its first 8 bytes.
  ///   - samples: the size of the samples in bytes.
  ///   - frames: the number of frames, or 0 if readers should compute it.
  static func largeHead(rest: Int64, samples: Int64, frames: Int64 = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(name: "RF64")
    bytes.append(little: UInt32.max)
    bytes.append(name: "WAVE")
    let sizes = [rest + Int64(sizesBytes), samples, frames].flatMap(\.littleBytes)
    bytes.append(chunk: "ds64", sizes + UInt32(0).littleBytes)
    return bytes
  }
}
