/// The rule for a command without the name of a recording or a sound, in the same words for both.
enum Meant {
  /// The help's text for the operand.
  static func summary(_ noun: String, usual: String? = nil) -> String {
    let usual = usual.map { "\"\($0)\" where there is one, else " } ?? ""
    return "The \(noun)'s name; without it \(usual)the only \(noun)"
  }

  /// The only name; nil if there is none. Throws an error that lists the names if there are
  /// several.
  static func only<Name>(
    _ names: [Name], _ noun: String, called text: (Name) -> String, all: Bool
  ) throws(Failure) -> Name? {
    guard names.count > 1 else { return names.first }
    let list = alternatives(names.map { quoted(text($0)) }, "and")
    throw Failure(
      .usage,
      Message(
        "there are \(names.count) \(noun)s: \(list)",
        advice: "give the name of one" + (all ? ", or --all" : "")))
  }
}
