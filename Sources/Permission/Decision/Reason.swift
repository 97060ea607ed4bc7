/// Why the status is what it is; the raw values are those of JSON.
package enum Reason: String, CaseIterable, Sendable {
  /// A rule of the administrator.
  case policy
  /// The user's own command, or the user's "no" at the prompt.
  case user
  /// The user's "always" at the prompt.
  case prompt
  /// A grant for a single session.
  case once
  /// A grant for a limited time.
  case timed
  /// There was a grant, and its time is over.
  case expired
  /// A variable or an option of this very call.
  case environment
  /// What the user decided cannot be read safely.
  case storeUnusable
  /// What the administrator decided cannot be read safely.
  case policyUnusable
}
