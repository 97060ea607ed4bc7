/// The protected services.
package enum Service: String, CaseIterable, Sendable {
  case microphone
  /// Reserved: the sound that the machine plays.
  case systemAudio
}
