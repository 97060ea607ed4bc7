internal import JSON

/// The form of the conversation: one JSON object a line, each line at most 64 KiB.
package enum Wire {
  /// The bytes of a line, its end included.
  package static let longestLine = 65_536

  static func line(_ value: JSONValue) -> [UInt8] {
    Array(value.encoded().utf8) + [UInt8(ascii: "\n")]
  }

  /// Collects what arrives and hands out whole lines.
  struct Inbox: Sendable {
    /// The line is longer than any that is accepted.
    struct LineTooLong: Error, Hashable, Sendable {}

    private var bytes: [UInt8] = []

    /// True while a line has begun and not ended.
    var isPartial: Bool { !bytes.isEmpty }

    mutating func append(_ received: ArraySlice<UInt8>) { bytes += received }

    /// The next whole line without its end, or nil until more arrives.
    mutating func next() throws(LineTooLong) -> [UInt8]? {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
        if bytes.count >= longestLine { throw LineTooLong() }
        return nil
      }
      if end >= longestLine { throw LineTooLong() }
      let line = Array(bytes[..<end])
      bytes.removeSubrange(...end)
      return line
    }
  }
}
