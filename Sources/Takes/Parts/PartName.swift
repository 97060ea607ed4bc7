package import Audio
internal import Linux

/// The hidden name of a part: `.take.wav.part`, or `.take.wav-2.part` if the first name is in use.
package struct PartName: Hashable, Sendable {
  /// The name itself.
  package let text: String
  /// The name of the final file.
  package let target: String

  /// The largest number of parts for one file.
  package static let most = 100
  /// The longest name of a final file without its number, in bytes. A number has at most 10 bytes.
  /// The temporary name for the sidecar of a recovered take has at most 45 more bytes. The limit of
  /// a file name is 255 bytes.
  package static let longestTarget = 200

  /// The name of a part of the file `target`. Attempt 1 adds no number. Each further attempt adds
  /// its number.
  package init(of target: String, _ attempt: Int) {
    self.target = target
    text = ".\(target)" + (attempt == 1 ? "" : "-\(attempt)") + ".part"
  }

  /// Parses a name; returns nil if it is not the name of a part.
  package init?(_ text: String) {
    guard text.begins(with: "."), text.ends(with: ".part"), text.utf8.count > 6 else { return nil }
    self.text = text
    target = Self.withoutNumber(text.trimmingBytes(first: 1, last: 5))
  }

  /// The current name of a part that was renamed. Its hidden name was `former`.
  package init(moved text: String, from former: PartName) {
    self.text = text
    target = former.target
  }

  /// Removes a number that follows the extension of a sound file. Any other number belongs to the
  /// name.
  private static func withoutNumber(_ name: String) -> String {
    guard let dash = name.utf8.lastIndex(of: UInt8(ascii: "-")),
      Int(Substring(name.utf8[dash...].dropFirst())) != nil
    else { return name }
    let target = String(Substring(name.utf8[..<dash]))
    return TakeName.format(of: target) == nil ? name : target
  }

  /// The name of the part's journal, in the directory of the part.
  package var journal: String { text + ".jsonl" }
}

/// The names of recovered takes, and the file formats of names.
package enum TakeName {
  /// Returns `take-recovered.wav` for `take.wav`, then `take-recovered-002.wav`.
  package static func recovered(_ name: String, _ attempt: Int) -> String {
    let name = adding("-recovered", to: name)
    return NumberedName(name).name(attempt)
  }

  /// Returns the format for the extension of a name, or nil if the extension is unknown.
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

/// The names of a series of files: `take.wav`, `take-002.wav`, `take-003.wav`.
package struct NumberedName: Hashable {
  private let stem: String
  /// The extension with its dot.
  private let suffix: String

  /// The series of names that begins with `name`.
  package init(_ name: String) { (stem, suffix) = name.nameParts }

  /// Returns the name with `number`. The name with number 1 is unchanged.
  package func name(_ number: Int) -> String {
    let digits = String(number)
    let mark = "-" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    return stem + (number == 1 ? "" : mark) + suffix
  }

  /// The highest number of a file. A higher number in a name does not come from a recording.
  package static let highest = 999_999_999

  /// Returns the number in `file`, the name of a file of the series. The name can also be that of a
  /// part or of a recovered take. Returns nil for any other name.
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

  /// Returns the next number above `least` and above all numbers in `taken`. If this number is
  /// above `highest`, returns the lowest number above `least` that is not in `taken`.
  package static func free(besides taken: Set<Int>, after least: Int) -> Int {
    let next = max(least, taken.max() ?? 0) + 1
    if next <= highest { return next }
    return ((least + 1)...).first { !taken.contains($0) } ?? next
  }

  private static let dash = UInt8(ascii: "-")

  /// Returns the name of the final file if `name` is the name of a part, of its journal, or of the
  /// file of a further track. Returns any other name unchanged.
  private static func withoutPart(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let ending = Array(".part".utf8)
    guard name.first == UInt8(ascii: "."),
      let end = name.indices.last(where: { name[$0...].starts(with: ending) }),
      let part = PartName(String(decoding: name[..<(end + ending.count)], as: UTF8.self))
    else { return name }
    return Array(part.target.utf8)[...]
  }
}
