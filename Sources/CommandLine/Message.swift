/// What the program says besides its result: what happened, on what, why, and what to do.
package struct Message: Hashable, Sendable {
  /// What happened, such as `cannot open "take.wav": No such file or directory`.
  package let fact: String
  /// What the user can do about it.
  package let advice: String?

  /// Takes a whole sentence; foreign words in it are already quoted.
  package init(_ fact: String, advice: String? = nil) {
    self.fact = fact
    self.advice = advice
  }

  /// Joins what failed, on what and why: `cannot read "a.wav": Input/output error`.
  package init(_ action: String, on subject: String, why: String, advice: String? = nil) {
    self.init("\(action) \(quoted(subject)): \(printable(why))", advice: advice)
  }

  /// The lines for stderr, each with the name of the program.
  func lines(_ kind: Kind) -> String {
    let first = "recorder: \(kind.prefix)\(fact)\n"
    return first + (advice.map { "recorder: \($0)\n" } ?? "")
  }

  /// How much it matters.
  package enum Kind: Sendable {
    case error
    case warning
    case note

    fileprivate var prefix: String { self == .warning ? "warning: " : "" }
  }
}
