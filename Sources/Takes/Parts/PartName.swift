package import Audio
internal import Linux

/// The hidden name that a take has until it is whole: `.take.wav.part`, or `.take.wav-2.part` beside one.
package struct PartName: Hashable {
  /// The name itself.
  package let text: String
  /// The name of the file that it becomes.
  package let target: String

  /// How many parts of one file there can be.
  package static let most = 100

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

  /// A number that does not follow the ending of a sound file belongs to the name.
  private static func withoutNumber(_ name: String) -> String {
    guard let dash = name.utf8.lastIndex(of: UInt8(ascii: "-")),
      Int(Substring(name.utf8[dash...].dropFirst())) != nil
    else { return name }
    let target = String(Substring(name.utf8[..<dash]))
    return TakeName.format(of: target) == nil ? name : target
  }

  /// What happened to the take, beside it.
  package var journal: String { text + ".jsonl" }
}

/// The names that takes get where the one that was meant is taken.
package enum TakeName {
  /// `take.wav` → `take-recovered.wav`, then `take-recovered-002.wav`.
  package static func recovered(_ name: String, _ attempt: Int) -> String {
    let name = adding("-recovered", to: name)
    return NumberedName(name).name(attempt)
  }

  /// The format that the ending of a name stands for.
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
