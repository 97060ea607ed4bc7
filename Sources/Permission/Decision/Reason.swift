/// The reason for a status; the raw values are those of JSON.
package enum Reason: String, CaseIterable, Sendable {
  /// A rule of the administrator.
  case policy
  /// The user's command, or the user's refusal at the prompt.
  case user
  /// The user's "always" at the prompt.
  case prompt
  /// A grant for a single session.
  case once
  /// A grant for a limited time.
  case timed
  /// A grant that is used or over.
  case expired
  /// A variable or an option of this call.
  case environment
  /// The user's decisions cannot be read safely.
  case storeUnusable
  /// The administrator's policy cannot be read safely.
  case policyUnusable
}
