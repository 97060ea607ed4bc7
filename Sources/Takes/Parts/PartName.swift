package import Audio
internal import Linux

/// The hidden name of a take until it is complete: `.take.wav.part`, or `.take.wav-2.part` beside
/// one.
package struct PartName: Hashable, Sendable {
  /// The name itself.
  package let text: String
  /// The name of the file that it becomes.
  package let target: String

  /// The most parts of one file.
  package static let most = 100
  /// The most bytes of a file's name: a draft of the sidecar of its recovered take has 43 more, and a
  /// name at most 255.
  package static let longestTarget = 210

  /// The name for the file `target`; the first attempt is 1 and has no number.
  package init(of target: String, _ attempt: Int) {
    self.target = target
    text = ".\(target)" + (attempt == 1 ? "" : "-\(attempt)") + ".part"
  }

  /// Reads a name; nil for one that no part has.
  package init?(_ text: String) {
    guard text.begins(with: "."), text.ends(with: ".part"), text.utf8.count > 6 else { return nil }
    self.text = text
    target = Self.withoutNumber(text.trimmingBytes(first: 1, last: 5))
  }

  /// The name of a part that was moved from the hidden name `former`.
  package init(moved text: String, from former: PartName) {
    self.text = text
    target = former.target
  }

  /// Drops a number only after the suffix of a sound file; any other belongs to the name.
  private static func withoutNumber(_ name: String) -> String {
    guard let dash = name.utf8.lastIndex(of: UInt8(ascii: "-")),
      Int(Substring(name.utf8[dash...].dropFirst())) != nil
    else { return name }
    let target = String(Substring(name.utf8[..<dash]))
    return TakeName.format(of: target) == nil ? name : target
  }

  /// The name of the take's journal, beside the part.
  package var journal: String { text + ".jsonl" }
}

/// The names for takes whose intended name is in use.
package enum TakeName {
  /// `take.wav` → `take-recovered.wav`, then `take-recovered-002.wav`.
  package static func recovered(_ name: String, _ attempt: Int) -> String {
    let name = adding("-recovered", to: name)
    return NumberedName(name).name(attempt)
  }

  /// The format that the suffix of a name stands for; nil for an unknown one.
  package static func format(of name: String) -> FileFormat? {
    let bytes = name.utf8
    let dot = bytes.lastIndex(of: UInt8(ascii: "."))
    return dot.flatMap { FileFormat(suffix: String(Substring(bytes[$0...].dropFirst()))) }
  }

  private static func adding(_ suffix: String, to name: String) -> String {
    let (stem, ending) = name.nameParts
    return stem + suffix + ending
  }
}

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

  /// The highest number of a file. A longer one in a name was not made by a recording.
  package static let highest = 999_999_999

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
    let number = Int(String(decoding: digits, as: UTF8.self))
    return number.flatMap { $0 > Self.highest ? nil : $0 }
  }

  /// The number after the highest of these names and after `least`, or, if the highest possible is
  /// taken, the lowest number after `least` that none of them has.
  package func free(among names: [String], after least: Int) -> Int {
    let taken = Set(names.compactMap(number))
    let next = max(least, taken.max() ?? 0) + 1
    if next <= Self.highest { return next }
    return ((least + 1)...).first { !taken.contains($0) } ?? next
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
