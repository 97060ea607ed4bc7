internal import CLinux

/// Unpredictable bytes. The corresponding C function is `getrandom`.
package enum RandomBytes {
  /// Returns `count` random bytes, at most 256. The kernel returns up to 256 bytes in one call.
  package static func make(_ count: Int) throws(SystemError) -> [UInt8] {
    precondition((0...256).contains(count), "more than 256 bytes may come in parts")
    var bytes = [UInt8](repeating: 0, count: count)
    try checked("getrandom") { unsafe getrandom(&bytes, count, 0) }
    return bytes
  }

  /// Returns `count` random bytes as lower-case hexadecimal digits, two for each byte.
  package static func hexadecimal(_ count: Int) throws(SystemError) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = try make(count).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
