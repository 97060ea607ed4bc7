/// The header of a page of an Ogg file (RFC 3533, 6), without the page's content.
struct OggPageHead {
  let serial: UInt32
  /// True where the page is the first of its stream.
  let isFirst: Bool
  /// True where the page is the last of its stream.
  let isLast: Bool
  /// The bytes of the header.
  let headBytes: Int64
  /// The bytes of the page.
  let byteCount: Int64

  /// The header at `place`; nil where there is none.
  init?(at place: Int64, in window: inout FileWindow) throws(SoundFileError) {
    guard try window.word(at: place) == 0x4F67_6753 else { return nil }
    let head = try window.bytes(at: place, upTo: 27)
    guard head.count == 27, head[4] == 0 else { return nil }
    let segments = try window.bytes(at: place + 27, upTo: Int(head[26]))
    guard segments.count == Int(head[26]) else { return nil }
    serial = head.number(at: 14, as: UInt32.self)
    isFirst = head[5] & 2 != 0
    isLast = head[5] & 4 != 0
    headBytes = 27 + Int64(segments.count)
    byteCount = headBytes + segments.reduce(0) { $0 + Int64($1) }
  }
}
