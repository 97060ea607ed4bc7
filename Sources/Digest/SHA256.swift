internal import CMD

/// The SHA-256 digest of bytes, as 64 hexadecimal digits.
///
/// The corresponding C function is `SHA256Data` of libmd.
package struct SHA256: Hashable, Sendable {
  /// The digest in lower case.
  package let hexadecimal: String

  /// Digests all of `bytes`.
  package init(of bytes: some Collection<UInt8>) {
    let input = Array(bytes)
    var text = [CChar](repeating: 0, count: 65)
    unsafe input.withUnsafeBufferPointer { input in
      // An empty array has no address, and libmd takes none for no bytes.
      _ = unsafe SHA256Data(input.baseAddress, input.count, &text)
    }
    hexadecimal = String(decoding: text.prefix(64).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
