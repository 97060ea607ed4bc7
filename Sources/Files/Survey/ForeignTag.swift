internal import Linux

/// Tags (ID3, APE, Lyrics3) before, between and after the streams of a sound file.
enum ForeignTag {
  /// Returns the size of the tag at `offset`, or nil if there is none.
  static func length(
    at offset: Int64, in window: inout FileWindow
  ) throws(SoundFileError) -> Int64? {
    switch try window.word(at: offset) {
    case id3v2: try lengthOfID3(at: offset, in: &window)
    case ape: try lengthOfAPE(at: offset, in: &window)
    case lyrics: try lengthOfLyrics(at: offset, in: &window)
    default: try lengthOfOldID3(at: offset, in: &window)
    }
  }

  /// Returns the offset after all consecutive tags at `offset`.
  static func end(from offset: Int64, in window: inout FileWindow) throws(SoundFileError) -> Int64 {
    var offset = offset
    while let length = try length(at: offset, in: &window), length > 0 {
      offset = min(offset + length, window.range.upperBound)
    }
    return offset
  }

  /// The size of an ID3v1 tag at the end of a file.
  static let oldID3Bytes: Int64 = 128

  /// Whether the bytes at `offset` are an ID3v2 tag.
  private static func isID3(at offset: Int64, in window: inout FileWindow) throws(SoundFileError)
    -> Bool
  {
    try window.word(at: offset).map { $0 >> 8 == id3v2 >> 8 } ?? false
  }

  /// Whether the bytes at `offset` are an ID3v2 tag without a footer. Decoders compute a wrong size
  /// for a tag with a footer.
  static func isSimpleID3(
    at offset: Int64, in window: inout FileWindow
  ) throws(SoundFileError) -> Bool {
    guard try isID3(at: offset, in: &window), let flags = try window.byte(at: offset + 5) else {
      return false
    }
    return flags & 0x10 == 0
  }

  /// Whether the bytes at `offset` begin like an ID3v1 tag.
  static func isOldID3(at offset: Int64, in window: inout FileWindow) throws(SoundFileError) -> Bool
  {
    try window.bytes(at: offset, upTo: 3) == Array("TAG".utf8)
  }

  // Versions 2.2 to 2.4 differ in the fourth byte.
  private static let id3v2: UInt32 = 0x4944_3300
  private static let ape: UInt32 = 0x4150_4554
  private static let lyrics: UInt32 = 0x4C59_5249

  private static func lengthOfOldID3(
    at offset: Int64, in window: inout FileWindow
  ) throws(SoundFileError) -> Int64? {
    if try isID3(at: offset, in: &window) { return try lengthOfID3(at: offset, in: &window) }
    guard try isOldID3(at: offset, in: &window) else { return nil }
    let isEnhanced = try window.byte(at: offset + 3) == UInt8(ascii: "+")
    return isEnhanced ? 227 : oldID3Bytes
  }

  /// Returns the size of an ID3v2 tag. The stored size has seven bits in each byte, and includes
  /// neither the header nor the footer (https://id3.org/id3v2.4.0-structure).
  private static func lengthOfID3(
    at offset: Int64, in window: inout FileWindow
  ) throws(SoundFileError) -> Int64? {
    let head = try window.bytes(at: offset, upTo: 10)
    guard head.count == 10, head[3] < 0xFF, head[4] < 0xFF,
      head[6...].allSatisfy({ $0 < 0x80 })
    else { return nil }
    let size = head[6...].reduce(Int64(0)) { $0 << 7 | Int64($1) }
    return 10 + size + (head[5] & 0x10 != 0 ? 10 : 0)
  }

  /// Returns the size of an APE tag. The stored size includes the footer and the items, but not the
  /// header.
  private static func lengthOfAPE(
    at offset: Int64, in window: inout FileWindow
  ) throws(SoundFileError) -> Int64? {
    let head = try window.bytes(at: offset, upTo: 32)
    guard head.count == 32, head.starts(with: "APETAGEX".utf8) else { return nil }
    let isHeader = head[23] & 0x20 != 0
    return 32 + (isHeader ? Int64(head.number(at: 12, as: UInt32.self)) : 0)
  }

  private static func lengthOfLyrics(
    at offset: Int64, in window: inout FileWindow
  ) throws(SoundFileError) -> Int64? {
    let bytes = try window.bytes(at: offset, upTo: mostLyricsBytes)
    guard bytes.starts(with: "LYRICSBEGIN".utf8) else { return nil }
    for mark in ["LYRICS200", "LYRICSEND"] {
      if let range = bytes.range(of: Array(mark.utf8)) { return Int64(range.upperBound) }
    }
    return nil
  }

  private static let mostLyricsBytes = 1 << 16
}
