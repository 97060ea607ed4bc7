internal import JSON

/// One step from a JSON value to one inside it.
enum JSONStep: Hashable, Sendable {
  case key(String)
  case index(Int)
}

/// Finds the place of a value in its text, for a fault that is found after parsing.
struct JSONPlace {
  private let bytes: [UInt8]
  private var position = 0

  /// The line and column, both from 1, of the value at the end of `path`: of a member's key, or of
  /// the last existing step if the path breaks off. The text must be valid JSON.
  static func find(_ path: [JSONStep], in bytes: [UInt8]) -> (line: Int, column: Int) {
    var place = JSONPlace(bytes: bytes)
    let found = place.find(path[...])
    let before = bytes[..<min(found, bytes.count)]
    let lines = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return (lines.count, (lines.last?.count ?? 0) + 1)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func find(_ path: ArraySlice<JSONStep>) -> Int {
    skipSpace()
    let start = position
    guard let step = path.first else { return start }
    position += 1
    var index = 0
    while true {
      skipSpace()
      guard let byte, byte != UInt8(ascii: "}"), byte != UInt8(ascii: "]") else { return start }
      let member = position
      let isWanted: Bool
      switch step {
      case .key(let key): isWanted = takeKey() == key
      case .index(let wanted): isWanted = index == wanted
      }
      if isWanted { return path.count == 1 ? member : find(path.dropFirst()) }
      skipValue()
      index += 1
    }
  }

  private mutating func takeKey() -> String? {
    let start = position
    skipString()
    let key = try? JSONValue(decoding: Array(bytes[start..<position]).span).string
    skipSpace()
    position += 1
    return key
  }

  /// Moves past a value and the comma after it.
  private mutating func skipValue() {
    var depth = 0
    while let byte {
      switch byte {
      case UInt8(ascii: "\""):
        skipString()
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return }
        depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        position += 1
        return
      default: break
      }
      position += 1
    }
  }

  private mutating func skipString() {
    position += 1
    while let byte, byte != UInt8(ascii: "\"") {
      position += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    position += 1
  }

  private mutating func skipSpace() {
    while let byte, " \t\r\n".utf8.contains(byte) { position += 1 }
  }
}
