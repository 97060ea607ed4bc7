/// What the program says besides its result: what happened, on what, why, and what to do.
package struct Message: Hashable, Sendable {
  /// What happened, such as `cannot open "take.wav": No such file or directory`.
  package let fact: String
  /// What else there is to know and what the user can do about it, one line each.
  package let advice: [String]

  /// Takes whole sentences; foreign words in them are already quoted.
  package init(_ fact: String, advice: [String]) {
    self.fact = fact
    self.advice = advice
  }

  /// The same with one line of advice at most.
  package init(_ fact: String, advice: String? = nil) {
    self.init(fact, advice: advice.map { [$0] } ?? [])
  }

  /// Joins what failed, on what and why: `cannot read "a.wav": Input/output error`.
  package init(_ action: String, on subject: String, why: String, advice: String? = nil) {
    self.init("\(action) \(quoted(subject)): \(printable(why))", advice: advice)
  }

  /// The lines for stderr, each with the name of the program; one that is wider than a terminal is continued below
  /// its own beginning.
  func lines(_ kind: Kind, width: Int? = nil) -> String {
    let name = "recorder: "
    return (["\(kind.prefix)\(fact)"] + advice).map { words in
      // Escaped here as well: foreign words come by many ways, and all of them end here.
      let line = printable(words)
      guard let width, columns(of: name + line) > width else { return name + line + "\n" }
      let lines = wrapped(line, width: max(20, width - name.count))
      let margin = String(repeating: " ", count: name.count)
      return name + lines.joined(separator: "\n" + margin) + "\n"
    }.joined()
  }

  /// How much it matters.
  package enum Kind: Sendable {
    case error
    case warning
    case note

    fileprivate var prefix: String { self == .warning ? "warning: " : "" }
  }
}
