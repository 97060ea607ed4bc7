internal import JSON
package import Linux

extension Audit {
  /// Returns the time at which each program last asked for access, used it or was refused.
  ///
  /// Searches for three members of each line, because the log may have 20,000 lines, and decoding
  /// all of them takes far longer.
  package func programUses() throws(StoreFailure) -> [Client: WallTime] {
    var uses: [Client: WallTime] = [:]
    for file in try files() {
      // The files are sorted from the newest to the oldest.
      for (name, time) in UseSearch(bytes: file).lastTimes {
        guard let client = Client(program: name.text), uses[client] == nil else { continue }
        uses[client] = time
      }
    }
    return uses
  }
}

/// A search for the uses by programs in one file of the audit.
struct UseSearch {
  let bytes: [UInt8]

  // A quotation mark within a string is escaped, so these bytes occur only at a member.
  private static let client = Array(#""client":""#.utf8)
  private static let event = Array(#""event":""#.utf8)
  private static let time = Array(#""time":""#.utf8)
  private static let lineEnd = [UInt8(ascii: "\n")]
  /// The events of a program itself. The others are decisions of the user.
  private static let uses = Set([AuditEvent.Kind.prompt, .refuse, .start, .stop].map(\.rawValue))

  /// The name of each client that is not a caller, with the time of its last use.
  var lastTimes: [Path: WallTime] {
    // The position of each time. Only the last one of each client is parsed.
    var times: [Path: Int] = [:]
    var start = 0
    while start < bytes.count {
      let end = bytes.firstIndex(of: Self.lineEnd, in: start..<bytes.count) ?? bytes.count
      let line = start..<end
      start = end + 1
      guard let name = string(Self.client, in: line), name.utf8.contains(UInt8(ascii: ":")),
        let event = string(Self.event, in: line), Self.uses.contains(event),
        let time = bytes.firstIndex(of: Self.time, in: line)
      else { continue }
      times[Path(name)] = time + Self.time.count
    }
    return times.compactMapValues { position in
      guard position + 20 <= bytes.count else { return nil }
      return WallTime(rfc3339: bytes.span.extracting(position..<position + 20))
    }
  }

  /// Returns the string of a member in a line, or nil if there is none.
  ///
  /// - Parameter key: the key with everything up to the first byte of the string.
  private func string(_ key: [UInt8], in line: Range<Int>) -> String? {
    guard let found = bytes.firstIndex(of: key, in: line) else { return nil }
    let start = found + key.count
    var end = start
    var isPlain = true
    while end < line.upperBound, bytes[end] != UInt8(ascii: "\"") {
      if bytes[end] == UInt8(ascii: "\\") {
        isPlain = false
        end += 1
      }
      end += 1
    }
    guard end < line.upperBound else { return nil }
    if isPlain { return String(decoding: bytes[start..<end], as: UTF8.self) }
    return (try? JSONValue(decoding: Array(bytes[(start - 1)...end]).span))?.string
  }
}
