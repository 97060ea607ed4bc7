/// The proof that a run may use the microphone.
package enum Permit: Hashable, Sendable {
  /// The permission is given by the store or a policy.
  case stored
  /// The user allowed this run only, because the answer could not be stored.
  case thisRunOnly
}
