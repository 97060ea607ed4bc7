internal import CALSA

/// What concerns all of ALSA.
enum ALSA {
  private static let silenced: Void = recorder_alsa_silence()

  /// Stops the library from writing to stderr: its failures come back as codes, and we say them once.
  static func silence() { silenced }
}
