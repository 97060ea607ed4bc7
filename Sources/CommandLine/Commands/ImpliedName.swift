/// The rule for a command without the name of a recording or a sound, in the same words for both.
enum ImpliedName {
  /// The help's text for the operand.
  ///
  /// - Parameter usual: the name that comes before the only one.
  static func summary(_ noun: String, usual: String? = nil) -> String {
    let usual = usual.map { "\"\($0)\" or else " } ?? ""
    return "Name of the \(noun); if omitted, \(usual)the only \(noun)"
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
