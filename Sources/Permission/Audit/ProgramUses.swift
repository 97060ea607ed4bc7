internal import JSON
internal import Linux

/// A search for the lines about programs in one file of the audit, from the last line to the first.
///
/// It searches for bytes and does not decode the lines. The log may have 20,000 lines, and decoding
/// all of them takes far longer than the search.
struct UseSearch {
  /// The name of the client in the found line.
  private(set) var name: ArraySlice<UInt8> = []

  private let bytes: [UInt8]
  private var line: Range<Int>

  // The beginnings of three members. A quotation mark within a string is escaped, so these bytes do
  // not occur within a string.
  private static let client = Array(#""client":""#.utf8)
  private static let event = Array(#""event":""#.utf8)
  private static let time = Array(#""time":""#.utf8)
  private static let quotationMark = [UInt8(ascii: "\"")]
  private static let backslash = [UInt8(ascii: "\\")]
  /// The kinds of events that count as uses by a program. The other events about programs are
  /// decisions of the user.
  private static let uses = [AuditEvent.Kind.prompt, .refuse, .start, .stop].map {
    Array($0.rawValue.utf8)
  }

  /// Begins after the last line.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    line = bytes.count..<bytes.count
  }

  /// Finds the previous line about a program. Returns false if there is none.
  mutating func findPrevious() -> Bool {
    while line.lowerBound > 0 {
      // The line end is not part of the line.
      let end = line.lowerBound - 1
      let start = bytes.lastIndex(of: UInt8(ascii: "\n"), in: 0..<end).map { $0 + 1 } ?? 0
      line = start..<end
      if let name = string(Self.client), name.contains(UInt8(ascii: ":")) {
        self.name = name
        return true
      }
    }
    return false
  }

  /// The time of the found line, or nil if the line is not about a use.
  var time: WallTime? {
    guard let event = string(Self.event),
      Self.uses.contains(where: { $0.span.order(before: event.span) == 0 }),
      let time = string(Self.time)
    else { return nil }
    return WallTime(rfc3339: time.span)
  }

  /// Returns the string of a member in the line, or nil if there is none.
  ///
  /// - Parameter key: the bytes of the member before the first byte of the string.
  private func string(_ key: [UInt8]) -> ArraySlice<UInt8>? {
    guard let found = bytes.firstIndex(of: key, in: line) else { return nil }
    let start = found + key.count
    guard let end = bytes.firstIndex(of: Self.quotationMark, in: start..<line.upperBound),
      bytes.firstIndex(of: Self.backslash, in: start..<end) == nil
    else { return escaped(start) }
    return bytes[start..<end]
  }

  /// Returns the string at an index, whose characters may be escaped.
  private func escaped(_ start: Int) -> ArraySlice<UInt8>? {
    var end = start
    while end < line.upperBound, bytes[end] != UInt8(ascii: "\"") {
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard end < line.upperBound else { return nil }
    let json = try? JSONValue(decoding: bytes.span.extracting(start - 1..<end + 1))
    return json?.string.map { Array($0.utf8)[...] }
  }
}
