internal import Audio

/// The hidden name that a take has until it is whole: `.take.wav.part`, or `.take.wav-2.part` beside one.
struct PartName: Hashable {
  /// The name itself.
  let text: String
  /// The name of the file that it becomes.
  let target: String

  /// How many parts of one file there can be.
  static let most = 100

  init(of target: String, _ attempt: Int) {
    self.target = target
    text = ".\(target)" + (attempt == 1 ? "" : "-\(attempt)") + ".part"
  }

  /// Reads a name; nil for one that no part has.
  init?(_ text: String) {
    guard text.hasPrefix("."), text.hasSuffix(".part"), text.utf8.count > 6 else { return nil }
    self.text = text
    target = Self.withoutNumber(String(text.dropFirst().dropLast(5)))
  }

  /// A number that does not follow the ending of a sound file belongs to the name.
  private static func withoutNumber(_ name: String) -> String {
    guard let dash = name.lastIndex(of: "-"), Int(name[name.index(after: dash)...]) != nil,
      TakeName.format(of: String(name[..<dash])) != nil
    else { return name }
    return String(name[..<dash])
  }

  /// What happened to the take, beside it.
  var journal: String { text + ".jsonl" }
}

/// The names that takes get where the one that was meant is taken.
enum TakeName {
  /// `take.wav` → `take-recovered.wav`, then `take-recovered-002.wav`.
  static func recovered(_ name: String, _ attempt: Int) -> String {
    let name = adding("-recovered", to: name)
    return NumberedName(name).name(attempt)
  }

  /// The format that the ending of a name stands for.
  static func format(of name: String) -> FileFormat? {
    name.lastIndex(of: ".").flatMap { FileFormat(suffix: String(name[name.index(after: $0)...])) }
  }

  private static func adding(_ suffix: String, to name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name + suffix }
    return name[..<dot] + suffix + name[dot...]
  }
}
