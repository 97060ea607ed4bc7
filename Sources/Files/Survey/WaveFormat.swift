internal import Audio

/// The `fmt ` chunk of a WAV file, as far as it matters before a decoder sees it.
struct WaveFormat {
  let tag: UInt16
  /// The place of each channel, where a mask tells it.
  let speakers: [Speaker]?

  /// Reads the content of a chunk whose numbers have their lowest byte first; nil where it is too short.
  init?(_ content: [UInt8]) {
    guard content.count >= 16 else { return nil }
    let stated = content.number(at: 0, as: UInt16.self)
    let isExtensible = stated == 0xFFFE && content.count >= 40
    tag = isExtensible ? content.number(at: 24, as: UInt16.self) : stated
    let channels = ChannelCount(Int(content.number(at: 2, as: UInt16.self)))
    speakers =
      isExtensible
      ? channels.flatMap {
        [Speaker](waveMask: content.number(at: 20, as: UInt32.self), channels: $0)
      } : nil
  }

  /// Whether the samples are frames of MPEG audio.
  var holdsMPEG: Bool { tag == 0x50 || tag == 0x55 }

  /// The beginning of a WAV file with this `fmt ` chunk, up to its samples.
  static func header(_ format: [UInt8], samples: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    let isLarge = samples > Int64(UInt32.max) - (1 << 16)
    bytes.append(name: isLarge ? "RF64" : "RIFF")
    let chunk = Int64(format.count + format.count % 2)
    let rest = 4 + (isLarge ? 36 : 0) + 8 + chunk + 8 + samples.padded
    if isLarge { bytes.append(little: UInt32.max) } else { bytes.append(clamping: rest) }
    bytes.append(name: "WAVE")
    if isLarge {
      var sizes: [UInt8] = []
      for number in [rest, samples, 0] { sizes.append(little: number) }
      sizes.append(little: UInt32(0))
      bytes.append(chunk: "ds64", sizes)
    }
    bytes.append(chunk: "fmt ", format)
    bytes.append(name: "data")
    if isLarge { bytes.append(little: UInt32.max) } else { bytes.append(clamping: samples) }
    return bytes
  }
}
