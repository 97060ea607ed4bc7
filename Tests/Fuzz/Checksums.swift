@testable import Files

/// The checksums of sound files. They make a reader refuse most random changes.
enum Checksums {
  /// Returns the bytes with correct checksums in Ogg pages and in the headers of FLAC frames.
  static func corrected(_ bytes: [UInt8]) -> [UInt8] {
    switch bytes.prefix(4) {
    case [0x4F, 0x67, 0x67, 0x53]: correctedPages(bytes)
    case [0x66, 0x4C, 0x61, 0x43]: correctedFrames(bytes)
    default: bytes
    }
  }

  private static func correctedPages(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var start = 0
    while start + 27 <= bytes.count {
      let end = start + 27 + Int(bytes[start + 26])
      guard bytes[start...].starts(with: "OggS".utf8), end <= bytes.count else {
        start += 1
        continue
      }
      let last = bytes[(start + 27)..<end].reduce(end) { $0 + Int($1) }
      guard last <= bytes.count else { break }
      var page = Array(bytes[start..<last])
      try? OggPage.seal(&page)
      bytes.replaceSubrange(start..<last, with: page)
      start = last
    }
    return bytes
  }

  private static func correctedFrames(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for start in bytes.indices.dropLast(6)
    where bytes[start] == 0xFF && bytes[start + 1] >> 1 == 124 {
      let size = [6: 1, 7: 2][bytes[start + 2] >> 4] ?? 0
      let rate = [12: 1, 13: 2, 14: 2][bytes[start + 2] & 15] ?? 0
      let number = max(1, (~bytes[start + 4]).leadingZeroBitCount)
      let end = start + 4 + number + size + rate
      guard end < bytes.count else { break }
      bytes[end] = bytes[start..<end].reduce(0, headerChecksum)
    }
    return bytes
  }

  /// The checksum of the header of a FLAC frame after another byte (RFC 9639, 9.1.8).
  private static func headerChecksum(_ register: UInt8, _ byte: UInt8) -> UInt8 {
    (0..<8).reduce(register ^ byte) { value, _ in value & 0x80 == 0 ? value << 1 : value << 1 ^ 7 }
  }
}
