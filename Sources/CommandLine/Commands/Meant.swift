/// The rule for a command that names no recording or no sound; its words are one for both.
enum Meant {
  /// The help's words for the operand.
  static func summary(_ noun: String, usual: String? = nil) -> String {
    let usual = usual.map { "\"\($0)\" where there is one, else " } ?? ""
    return "The \(noun)'s name; without it \(usual)the only \(noun)"
  }

  /// The only one of them, nil where there is none; several are listed, because nobody can know.
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
