internal import Linux

/// What the variables and options of this call ask for; they can only forbid.
package struct Wishes: Hashable, Sendable {
  /// What refuses the microphone for this call.
  package enum Refusal: Hashable, Sendable {
    case option
    case variable
  }

  /// A variable whose value means nothing, which is an error of usage.
  package struct UsageError: Error, Hashable, Sendable {
    /// What it holds.
    package let value: String

    package init(value: String) { self.value = value }
  }

  /// What refuses, if anything does.
  package let refusal: Refusal?
  /// Whether nobody may be asked.
  package let forbidsPrompt: Bool

  package init(refusal: Refusal? = nil, forbidsPrompt: Bool = false) {
    self.refusal = refusal
    self.forbidsPrompt = forbidsPrompt
  }

  /// Reads what was typed and what the variables hold.
  ///
  /// - Parameters:
  ///   - permission: the value of RECORDER_PERMISSION; only `deny` means something.
  ///   - noPrompt: the value of RECORDER_NO_PROMPT; anything but nothing and `0` forbids.
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
  package var description: String {
    "RECORDER_PERMISSION is \"\(PrintableText.escape(value))\", and only \"deny\" means something "
      + "there: no variable can allow the microphone"
  }
}
