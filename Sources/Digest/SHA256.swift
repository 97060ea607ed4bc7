internal import CMD

/// The SHA-256 digest of bytes, as 64 hexadecimal digits.
///
/// The corresponding C function is `SHA256Data` of libmd.
package struct SHA256: Hashable, Sendable {
  /// The digest in lower case.
  package let hexadecimal: String

  /// Computes the digest of `bytes`.
  package init(of bytes: some Collection<UInt8>) {
    let input = Array(bytes)
    var text = [CChar](repeating: 0, count: 65)
    unsafe input.withUnsafeBufferPointer { input in
      // An empty array has no address. libmd accepts a null address for 0 bytes.
      _ = unsafe SHA256Data(input.baseAddress, input.count, &text)
    }
    hexadecimal = String(decoding: text.prefix(64).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

extension SHA256 {
  /// A digest that is computed from consecutive pieces of data.
  ///
  /// The corresponding C functions are `SHA256Init`, `SHA256Update` and `SHA256End` of libmd.
  package struct Hasher: Sendable {
    private var context = SHA2_CTX()

    /// Creates a digest of no bytes.
    package init() { unsafe SHA256Init(&context) }

    /// Adds the next bytes.
    package mutating func add(_ bytes: RawSpan) {
      unsafe bytes.withUnsafeBytes { bytes in
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe SHA256Update(&context, start, bytes.count)
      }
    }

    /// Returns the digest of all added bytes.
    package consuming func finish() -> SHA256 {
      var text = [CChar](repeating: 0, count: 65)
      _ = unsafe SHA256End(&context, &text)
      return SHA256(known: text.prefix(64).map(UInt8.init(bitPattern:)))
    }
  }

  private init(known digits: [UInt8]) { hexadecimal = String(decoding: digits, as: UTF8.self) }
}
