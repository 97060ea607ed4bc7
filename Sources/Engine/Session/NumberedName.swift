internal import Linux

/// The names of files that belong together: `take.wav`, `take-002.wav`, `take-003.wav`.
struct NumberedName: Hashable {
  private let stem: Substring
  /// The ending with its dot.
  private let suffix: Substring

  init(_ name: String) {
    let dot = name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? $0 : nil } ?? name.endIndex
    stem = name[..<dot]
    suffix = name[dot...]
  }

  /// The name of one of them; the first has no number.
  func name(_ number: Int) -> String {
    let digits = String(number)
    let mark = "-" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    return stem + (number == 1 ? "" : mark) + suffix
  }

  /// Which of them a file is, the hidden part of one and what was recovered of it too; nil for any other.
  func number(of file: String) -> Int? {
    let isPart = file.hasPrefix(".") && file.holds(".part")
    let end = isPart ? file.range(of: ".part") : nil
    let name = isPart ? file.dropFirst().prefix(upTo: end ?? file.endIndex) : file[...]
    guard name.hasPrefix(stem), name.hasSuffix(suffix), name.count >= stem.count + suffix.count
    else { return nil }
    let middle = name.dropFirst(stem.count).dropLast(suffix.count)
    if middle.isEmpty || middle.hasPrefix("-recovered") { return 1 }
    guard middle.hasPrefix("-") else { return nil }
    let digits = middle.dropFirst().prefix(while: \.isNumber)
    let rest = middle.dropFirst(1 + digits.count)
    guard digits.count >= 3, rest.isEmpty || rest.hasPrefix("-") else { return nil }
    return Int(digits)
  }
}

extension String {
  /// Where the last `text` in it begins.
  fileprivate func range(of text: String) -> Index? {
    indices.last { self[$0...].hasPrefix(text) }
  }
}
