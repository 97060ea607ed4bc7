/// The name that a command uses if the user gives none. Recordings and sounds share the rule and
/// its messages.
enum ImpliedName {
  /// Returns the help text for the operand.
  ///
  /// - Parameter usual: the name that is preferred to the only name.
  static func summary(_ noun: String, usual: String? = nil) -> String {
    let usual = usual.map { "\"\($0)\" or else " } ?? ""
    return "Name of the \(noun); if omitted, \(usual)the only \(noun)"
  }

  /// Returns the only name, or nil if there is none. Throws an error that lists the names if there
  /// are several.
  static func only<Name>(
    _ names: [Name], _ noun: String, called text: (Name) -> String, all: Bool
  ) throws -> Name? {
    guard names.count > 1 else { return names.first }
    let list = alternatives(names.map { quoted(text($0)) }, "and")
    throw Failure(
      .usage, "there are \(names.count) \(noun)s: \(list)",
      advice: "give the name of one" + (all ? ", or --all" : ""))
  }
}
