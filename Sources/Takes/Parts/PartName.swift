package import Audio
internal import Linux

/// The hidden name of a take until it is complete: `.take.wav.part`, or `.take.wav-2.part` beside
/// one.
package struct PartName: Hashable {
  /// The name itself.
  package let text: String
  /// The name of the file that it becomes.
  package let target: String

  /// The most parts of one file.
  package static let most = 100

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
