/// A cyclic redundancy check that processes the highest bit first and starts at zero, as in FLAC
/// and Ogg.
struct CyclicChecksum<Register: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
  private let table: [Register]

  init(polynomial: Register) {
    table = (0..<256).map { byte in
      (0..<8).reduce(Register(byte) << (Register.bitWidth - 8)) { register, _ in
        register.leadingZeroBitCount == 0 ? register << 1 ^ polynomial : register << 1
      }
    }
  }

  /// Returns the checksum after `bytes`, continued from `start`.
  func callAsFunction(_ bytes: Span<UInt8>, from start: Register = 0) -> Register {
    var register = start
    for index in bytes.indices {
      let top = UInt8(truncatingIfNeeded: register >> (Register.bitWidth - 8))
      // Shifting an 8-bit register by its whole width gives 0.
      register = register << 8 ^ table[Int(top ^ bytes[index])]
    }
    return register
  }
}

extension CyclicChecksum<UInt8> {
  /// The checksum of the header of a FLAC frame (RFC 9639, 9.1.8).
  static let flacHeader = CyclicChecksum(polynomial: 0x07)
}

extension CyclicChecksum<UInt16> {
  /// The checksum of a whole FLAC frame (RFC 9639, 9.3).
  static let flacFrame = CyclicChecksum(polynomial: 0x8005)
}

extension CyclicChecksum<UInt32> {
  /// The checksum of an Ogg page, with its own field set to zero (RFC 3533, 6).
  static let oggPage = CyclicChecksum(polynomial: 0x04C1_1DB7)
}
