/// That a run may use the microphone.
package enum Permit: Hashable, Sendable {
  /// As the store or a policy says.
  case stored
  /// As the user said to this run alone, because it could not be written down.
  case thisRunOnly
}
