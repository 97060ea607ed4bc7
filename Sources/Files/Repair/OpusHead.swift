internal import Audio

/// The first packet of an Opus stream, on a page of its own (RFC 7845, 5.1).
struct OpusHead: Hashable {
  /// The stream's number in the file.
  let serial: UInt32
  /// The form of the samples that a decoder gives.
  let stream: StreamFormat
  private let preSkip: Int64

  /// The most that its page takes: the head of the page, one segment, and a table of 255 channels.
  static let mostBytes = 27 + 1 + 21 + 255

  /// Reads the beginning of a file; throws where that page is torn or another stream's.
  init(parsing head: [UInt8]) throws(UnitFlaw) {
    let page = try OggPage(parsing: head.span)
    let packet = head.prefix(page.byteCount).dropFirst(28)
    guard packet.starts(with: "OpusHead".utf8), packet.count >= 19 else { throw .invalid }
    serial = page.serial
    preSkip = Int64(head.number(at: 28 + 10, as: UInt16.self))
    // Another rate is only a note on the source: such a stream is decoded at 48 kHz.
    let stated = Int(head.number(at: 28 + 12, as: UInt32.self))
    let isKnown = FileFormat.opus.rates?.contains(stated) ?? false
    guard let channels = ChannelCount(Int(packet[packet.startIndex + 9])) else { throw .invalid }
    stream = StreamFormat(
      rate: isKnown ? SampleRate(stated) ?? .hz48000 : .hz48000, channels: channels, sample: .int16)
  }

  /// The frames that a decoder gives for a stream up to this position (RFC 7845, 4).
  func frames(upTo granule: Int64) -> FrameCount {
    // A page of somebody else may claim any position, and no rate here is above 48 kHz.
    let product = Int128(max(0, granule - preSkip)) * Int128(stream.rate.hertz)
    return FrameCount(Int64(product / Int128(SampleRate.hz48000.hertz)))
  }
}
