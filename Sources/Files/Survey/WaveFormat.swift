internal import Audio

/// The fields of a WAV file's `fmt ` chunk that are needed before a decoder reads it.
struct WaveFormat {
  private let tag: UInt16
  /// The speaker position of each channel, or nil if there is no mask.
  let speakers: [Speaker]?
  /// The stream of a big-endian file whose sample format decoders do not support, or nil otherwise.
  let swapped: RawStream?

  /// Parses the content of a chunk. The result is nil if it is too short.
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

  /// The encoding's name if it is known but not decoded, or nil otherwise.
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
    bytes.append(name: isLarge ? "RF64" : "RIFF")
    let chunk = Int64(format.count + format.count % 2)
    let rest = 4 + (isLarge ? 36 : 0) + 8 + chunk + 8 + samples.padded
    if isLarge { bytes.append(little: UInt32.max) } else { bytes.append(clamping: rest) }
    bytes.append(name: "WAVE")
    if isLarge {
      let sizes = [rest, samples, 0].flatMap(\.littleBytes)
      bytes.append(chunk: "ds64", sizes + UInt32(0).littleBytes)
    }
    bytes.append(chunk: "fmt ", format)
    bytes.append(name: "data")
    if isLarge { bytes.append(little: UInt32.max) } else { bytes.append(clamping: samples) }
    return bytes
  }
}
