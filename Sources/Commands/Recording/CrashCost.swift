/// The audio that can be lost in a crash, worded as in the README and the help.
package enum CrashCost {
  /// The limits for a killed program and for a power failure.
  package static let words = "at most 1 s if the program is killed, at most 2 s if the power fails"

  /// Returns the audio that a recovered take may lack, in words that follow the time of its last
  /// write.
  ///
  /// - Parameter wasKilled: true if only the program died; false if the power may have failed.
  static func loss(wasKilled: Bool) -> String {
    "at most \(wasKilled ? 1 : 2) s of audio after that"
  }
}
