/// The audio that a crash can cost, in the words of the README, the help and `recover`.
package enum CrashCost {
  /// The limits for a killed program and for a power failure.
  package static let words = "at most 1 s if the program is killed, at most 2 s if the power fails"
}
