/// The first frame of many MP3 streams, which holds no sound but the length of the stream.
struct MPEGInfoFrame {
  /// The frames that it claims; nil where it states none.
  let claim: Int?
  /// The place of that number within the frame, where a decoder reads it.
  let claimOffset: Int64?

  /// Reads the frame at `place`; nil where it is an ordinary one.
  ///
  /// Xing's and LAME's lies behind the side information, Fraunhofer's 32 bytes behind the header.
  init?(
    _ header: MPEGFrameHeader, at place: Int64, in window: inout FileWindow
  ) throws(SoundFileError) {
    guard header.layer == 3 else { return nil }
    let mark = 4 + header.sideBytes
    if let word = try window.word(at: place + Int64(mark)), Self.marks.contains(word),
      try Self.isEmpty(from: place + 6, to: place + Int64(mark), &window)
    {
      let flags = try window.word(at: place + Int64(mark) + 4) ?? 0
      let field = place + Int64(mark) + 8
      let count = flags & 1 == 1 ? try window.word(at: field) : nil
      claim = count.flatMap { $0 > 0 ? Int($0) : nil }
      claimOffset = count == nil ? nil : field - place
    } else if try window.word(at: place + 36) == Self.fraunhofer {
      claim = try window.word(at: place + 36 + 14).flatMap { $0 > 0 ? Int($0) : nil }
      claimOffset = nil
    } else {
      return nil
    }
  }

  /// `Xing` and `Info`.
  private static let marks: Set<UInt32> = [0x5869_6E67, 0x496E_666F]
  /// `VBRI`.
  private static let fraunhofer: UInt32 = 0x5642_5249

  private static func isEmpty(
    from start: Int64, to end: Int64, _ window: inout FileWindow
  ) throws(SoundFileError) -> Bool {
    try window.bytes(at: start, upTo: Int(end - start)).allSatisfy { $0 == 0 }
  }
}
