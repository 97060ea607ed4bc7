import Linux

/// A file of JSON in which one value was replaced by an extreme one.
struct ExtremeChange: CustomStringConvertible {
  let file: String
  /// The path of the value in its JSON, such as `.frames.lost`.
  let member: String
  let value: String
  let content: [UInt8]

  var description: String { "\(file) with \(member) = \(value.prefix(60))" }

  /// Whether commands once trapped on the number: a limit of `Int64` as the number of a change of
  /// takes, or as the number of failures of a delivery.
  var crashedOnce: Bool {
    [".step", ".failures"].contains(member) && Self.limits.contains(value)
  }

  private static let limits = [
    "9223372036854775807", "9223372036854775808", "-9223372036854775808",
  ]
  private static let numbers = ["0", "1", "-1"] + limits
  private static let checksum = Array("checksum ".utf8)

  /// Returns all changes of a file that was made in the directory `home`. Of the values with the
  /// same path, in other lines or elements, only the first one is changed. A checksum in the first
  /// line is calculated again.
  static func all(of file: String, _ content: [UInt8], home: String) -> [ExtremeChange] {
    let hasChecksum = content.starts(with: checksum)
    let start = hasChecksum ? (content.firstIndex(of: UInt8(ascii: "\n")) ?? 0) + 1 : 0
    var members: Set<String> = []
    var changes: [ExtremeChange] = []
    for scalar in JSONScalars(of: content, from: start).all
    where members.insert(scalar.path).inserted {
      let former = String(decoding: content[scalar.range], as: UTF8.self)
      for value in extremes(of: former, home: home) where !value.isSameName(as: former) {
        var body = Array(content.dropFirst(start))
        let range = scalar.range.lowerBound - start..<scalar.range.upperBound - start
        body.replaceSubrange(range, with: Array(value.utf8))
        let sum = String(body.checksum(of: 0..<body.count), radix: 16)
        let head = hasChecksum ? checksum + Array("\(sum)\n".utf8) : []
        changes.append(
          ExtremeChange(file: file, member: scalar.path, value: value, content: head + body))
      }
    }
    return changes
  }

  private static func extremes(of value: String, home: String) -> [String] {
    guard value.first == "\"" else {
      return ["true", "false", "null"].contains(value) ? ["true", "false", "1"] : numbers
    }
    let directory = value.dropFirst().first == "/" ? home : ""
    let texts =
      ["\u{E9}.wav", "e\u{301}.wav"].map { directory + $0 }
      + ["", String(repeating: "x", count: 65_536)]
    let isNumber = Int(value.dropFirst().dropLast()) != nil
    return (texts + (isNumber ? numbers : [])).map { "\"\($0)\"" }
  }
}

/// The numbers, texts and literals in JSON texts that follow each other, with their places.
private struct JSONScalars {
  private(set) var all: [(path: String, range: Range<Int>)] = []
  private let bytes: [UInt8]
  private var place: Int

  init(of bytes: [UInt8], from start: Int) {
    self.bytes = bytes
    place = start
    skip()
    while place < bytes.count { value("") }
  }

  private var next: Character? {
    place < bytes.count ? Character(UnicodeScalar(bytes[place])) : nil
  }

  /// Skips blanks and separators.
  private mutating func skip() {
    while let next, next.isWhitespace || next == "," || next == ":" { place += 1 }
  }

  /// Skips a string and returns it without its quotes.
  private mutating func string() -> String {
    let start = place + 1
    place += 1
    while let next, next != "\"" { place += next == "\\" ? 2 : 1 }
    place += 1
    return String(decoding: bytes[start..<place - 1], as: UTF8.self)
  }

  private mutating func value(_ path: String) {
    let start = place
    switch next {
    case "{":
      place += 1
      skip()
      while next == "\"" {
        let name = string()
        skip()
        value("\(path).\(name)")
      }
      place += 1
    case "[":
      place += 1
      skip()
      while let next, next != "]" { value(path + "[]") }
      place += 1
    case "\"":
      _ = string()
      all.append((path, start..<place))
    default:
      while let next, !next.isWhitespace, !",]}".contains(next) { place += 1 }
      all.append((path, start..<place))
    }
    skip()
  }
}
