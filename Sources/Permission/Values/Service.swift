/// What is protected.
package enum Service: String, CaseIterable, Sendable {
  case microphone
  /// Reserved: what the machine itself plays.
  case systemAudio
}
