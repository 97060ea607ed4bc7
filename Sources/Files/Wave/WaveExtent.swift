internal import Audio

/// The end of a WAV file's samples, by its header and by its size.
struct WaveExtent: Hashable {
  /// The bytes of whole frames.
  let audio: Int64
  /// True if header and size agree to the byte.
  let isIntact: Bool

  /// Judges a file of `size` bytes that begins with `head`.
  ///
  /// The header of a killed take states fewer samples than there are; after a power cut it may state more. The bytes
  /// behind the stated samples are audio, unless they begin as a tail does: then the take was closing when it ended.
  ///
  /// - Parameter following: the first bytes, up to 4, from `statedTail` on.
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

  /// The place at which a tail would begin, by the header.
  static func statedTail(_ header: WaveHeader, head: [UInt8]) -> Int64 {
    let stated = header.statedSizes(in: head).audio
    let (tail, overflow) = Int64(header.count).addingReportingOverflow(stated)
    return overflow || tail == .max ? .max : tail.padded
  }
}

extension Int64 {
  /// The next even number: RIFF begins every chunk at one.
  var padded: Int64 { self + (self & 1) }
}
