/// Reads numbers of any width, the highest bit first.
struct BitReader: ~Escapable {
  private let bytes: Span<UInt8>
  private var position = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// The bytes that were begun.
  var bytesRead: Int { (position + 7) / 8 }

  mutating func skip(_ count: Int) throws(UnitFlaw) {
    guard count <= bytes.count * 8 - position else { throw .incomplete }
    position += count
  }

  /// A number of up to 32 bits.
  mutating func number(_ count: Int) throws(UnitFlaw) -> Int {
    let bits = following
    try skip(count)
    return Int(bits >> UInt64(64 - count))
  }

  /// Counts the zeros before the next one, which is passed as well.
  mutating func zeros() throws(UnitFlaw) -> Int {
    var count = 0
    while following == 0 {
      try skip(Self.sureBits)
      count += Self.sureBits
    }
    let rest = following.leadingZeroBitCount
    try skip(rest + 1)
    return count + rest
  }

  /// So many bits are in a word at least, whichever bit of a byte it begins with.
  private static let sureBits = 56

  /// The next bits, the first of them on top; zeros stand for bits behind the end.
  private var following: UInt64 {
    let index = position >> 3
    return word(at: index) << UInt64(position & 7)
  }

  private func word(at index: Int) -> UInt64 {
    if index + 8 <= bytes.count {
      let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      return UInt64(bigEndian: word)
    }
    return (0..<8).reduce(0) { word, byte in
      word << 8 | (index + byte < bytes.count ? UInt64(bytes[index + byte]) : 0)
    }
  }
}
