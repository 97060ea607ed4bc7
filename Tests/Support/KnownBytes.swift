import Glibc

/// An endless sequence of known bytes. They are random and repeat with a prime period, so that a
/// lost, repeated or shifted frame is detected.
package struct KnownBytes {
  private static let table: [UInt8] = {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    return (0..<1_048_573).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 40)
    }
  }()

  private var place = 0

  /// Makes the table now, because a running stream would not wait for it.
  package init() { _ = Self.table }

  /// Skips bytes, as a device does that loses them.
  package mutating func skip(_ count: Int) { place = (place + count) % Self.table.count }

  /// Passes the next bytes in contiguous pieces.
  package mutating func pieces(_ count: Int, _ body: (UnsafeRawBufferPointer, Int) throws -> Void)
    rethrows
  {
    var done = 0
    while done < count {
      let length = min(count - done, Self.table.count - place)
      try Self.table.withUnsafeBytes {
        try body(UnsafeRawBufferPointer(rebasing: $0[place..<place + length]), done)
      }
      done += length
      place = (place + length) % Self.table.count
    }
  }

  /// Returns whether these are the next bytes.
  package mutating func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var same = true
    pieces(bytes.count) { piece, start in
      guard let known = piece.baseAddress, let given = bytes.baseAddress else { return }
      same = same && memcmp(known, given + start, piece.count) == 0
    }
    return same
  }

  package mutating func fill(_ bytes: UnsafeMutableRawBufferPointer) {
    pieces(bytes.count) { piece, start in
      UnsafeMutableRawBufferPointer(rebasing: bytes[start...]).copyMemory(from: piece)
    }
  }
}
