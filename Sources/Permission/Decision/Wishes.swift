internal import Linux

/// The refusals that the variables and options of this call ask for; they can never allow.
package struct Wishes: Hashable, Sendable {
  /// The origin of a refusal for this call.
  package enum Refusal: Hashable, Sendable {
    case option
    case variable
  }

  /// RECORDER_PERMISSION with an unknown value, which is an error of usage.
  package struct UsageError: Error, Hashable, Sendable {
    /// The value of the variable, unescaped.
    package let value: String

    /// The error for this value.
    package init(value: String) { self.value = value }
  }

  /// The origin of the refusal; nil if this call refuses nothing.
  package let refusal: Refusal?
  /// True if this call must not prompt.
  package let forbidsPrompt: Bool

  /// Wishes that are known already; by default none.
  package init(refusal: Refusal? = nil, forbidsPrompt: Bool = false) {
    self.refusal = refusal
    self.forbidsPrompt = forbidsPrompt
  }

  /// Reads the options and the values of the variables; throws for an unknown value.
  ///
  /// - Parameters:
  /// - permission: the value of RECORDER_PERMISSION; empty or `deny`.
  /// - noPrompt: the value of RECORDER_NO_PROMPT; any but empty and `0` forbids the prompt.
  package init(
    deny: Bool, noPromptOption: Bool = false, permission: String?, noPrompt: String?
  ) throws(UsageError) {
    if let permission, !["", "deny"].contains(permission) {
      throw UsageError(value: permission)
    }
    refusal = deny ? .option : permission == "deny" ? .variable : nil
    forbidsPrompt = noPromptOption || !["", "0"].contains(noPrompt ?? "")
  }
}

extension Wishes.UsageError: CustomStringConvertible {
  /// The error as a sentence, with the value escaped for a terminal.
  package var description: String {
    "RECORDER_PERMISSION is \"\(PrintableText.escape(value))\", and only \"deny\" means something "
      + "there: no variable can allow the microphone"
  }
}
