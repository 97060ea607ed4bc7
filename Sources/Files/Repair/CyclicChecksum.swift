/// A cyclic redundancy check that takes the highest bit first and begins with zero, as FLAC's and
/// Ogg's do.
struct CyclicChecksum<Register: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
  private let table: [Register]

  init(polynomial: Register) {
    table = (0..<256).map { byte in
      (0..<8).reduce(Register(byte) << (Register.bitWidth - 8)) { register, _ in
        register.leadingZeroBitCount == 0 ? register << 1 ^ polynomial : register << 1
      }
    }
  }

  /// The register after `bytes`, when it was `start` before them.
  func callAsFunction(_ bytes: Span<UInt8>, from start: Register = 0) -> Register {
    var register = start
    for index in bytes.indices {
      let top = UInt8(truncatingIfNeeded: register >> (Register.bitWidth - 8))
      // A shift by the whole width of an 8-bit register leaves nothing.
      register = register << 8 ^ table[Int(top ^ bytes[index])]
    }
    return register
  }
}

extension CyclicChecksum<UInt8> {
  /// Over the header of a FLAC frame (RFC 9639, 9.1.8).
  static let flacHeader = CyclicChecksum(polynomial: 0x07)
}

extension CyclicChecksum<UInt16> {
  /// Over a whole FLAC frame (RFC 9639, 9.3).
  static let flacFrame = CyclicChecksum(polynomial: 0x8005)
}

extension CyclicChecksum<UInt32> {
  /// Over a page of Ogg, its own field being zero (RFC 3533, 6).
  static let oggPage = CyclicChecksum(polynomial: 0x04C1_1DB7)
}
