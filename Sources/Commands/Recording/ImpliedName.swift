internal import Linux

/// The name that a command uses if the user gives none. Recordings and sounds share the rule and
/// its messages.
enum ImpliedName {
  /// Returns the help text for the operand.
  ///
  /// - Parameter usual: the name that the command uses first, or nil if there is no such name.
  static func summary(_ noun: String, usual: String? = nil) -> String {
    let usual = usual.map { "\"\($0)\", else " } ?? ""
    return "Name of the \(noun); if omitted, \(usual)the only \(noun)"
  }

  /// Returns the only name, or nil if there is none. If there are several, throws an error that
  /// lists the names, and shows the typed command with one of them.
  ///
  /// - Parameter option: the option that gives the name, or nil if the name is the first operand.
  static func only<Name>(
    _ names: [Name], _ noun: String, called text: (Name) -> String, all: Bool,
    by option: String? = nil, _ typed: [String] = Program.arguments ?? []
  ) throws -> Name? {
    guard names.count > 1 else { return names.first }
    let list = alternatives(names.map { quoted(text($0)) }, "and")
    // A name such as `-` or a path is a poor example.
    let example = names.map(text).first { $0.first?.isLetter == true } ?? text(names[0])
    throw Failure(
      .usage, "there are \(names.count) \(noun)s: \(list)",
      advice: "give the name of one, as in \"\(command(typed, noun, example, option))\""
        + (all ? ", or --all" : ""))
  }

  /// Returns the typed command with `name` inserted after the words of the command. A command for
  /// sounds has two words.
  private static func command(
    _ typed: [String], _ noun: String, _ name: String, _ option: String?
  ) -> String {
    let plain = typed.indices.filter { !typed[$0].begins(with: "-") }
    let end = plain.prefix(noun == "sound" ? 2 : 1).last.map { $0 + 1 } ?? typed.count
    let words = typed[..<end] + [option, name].compactMap(\.self) + typed[end...]
    return (["recorder"] + words.map(shellArgument)).joined(separator: " ")
  }
}
