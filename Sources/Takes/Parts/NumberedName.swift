internal import Linux

/// The names of files that belong together: `take.wav`, `take-002.wav`, `take-003.wav`.
package struct NumberedName: Hashable {
  private let stem: String
  /// The ending with its dot.
  private let suffix: String

  package init(_ name: String) { (stem, suffix) = name.nameParts }

  /// The name of one of them; the first has no number.
  package func name(_ number: Int) -> String {
    let digits = String(number)
    let mark = "-" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    return stem + (number == 1 ? "" : mark) + suffix
  }

  /// Which of them a file is, the hidden part of one and what was recovered of it too; nil for any other.
  package func number(of file: String) -> Int? {
    let name = Self.withoutPart(Array(file.utf8)[...])
    guard name.starts(with: stem.utf8), name.reversed().starts(with: suffix.utf8.reversed()),
      name.count >= stem.utf8.count + suffix.utf8.count
    else { return nil }
    let middle = name.dropFirst(stem.utf8.count).dropLast(suffix.utf8.count)
    if middle.isEmpty || middle.starts(with: "-recovered".utf8) { return 1 }
    guard middle.first == Self.dash else { return nil }
    let digits = middle.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let rest = middle.dropFirst(1 + digits.count)
    guard digits.count >= 3, rest.isEmpty || rest.first == Self.dash else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  private static let dash = UInt8(ascii: "-")

  /// Of a hidden part what lies before the last `.part`.
  private static func withoutPart(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let part = Array(".part".utf8)
    guard name.first == UInt8(ascii: "."),
      let end = name.indices.last(where: { name[$0...].starts(with: part) })
    else { return name }
    return end == name.startIndex ? name : name[..<end].dropFirst()
  }
}
