internal import Linux

/// The names of files that belong together: `take.wav`, `take-002.wav`, `take-003.wav`.
package struct NumberedName: Hashable {
  private let stem: String
  /// The ending with its dot.
  private let suffix: String

  /// The names that are numbered from this one.
  package init(_ name: String) { (stem, suffix) = name.nameParts }

  /// The name with a number; number 1 is the name itself.
  package func name(_ number: Int) -> String {
    let digits = String(number)
    let mark = "-" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    return stem + (number == 1 ? "" : mark) + suffix
  }

  /// The number of a file, of its hidden part or of its recovered take; nil for any other name.
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

  /// The name of the file of a hidden part, before the last `.part`; any other name is unchanged.
  private static func withoutPart(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let part = Array(".part".utf8)
    guard name.first == UInt8(ascii: "."),
      let end = name.indices.last(where: { name[$0...].starts(with: part) })
    else { return name }
    return end == name.startIndex ? name : name[..<end].dropFirst()
  }
}
