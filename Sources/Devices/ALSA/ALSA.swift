internal import CALSA

/// Settings of the whole library.
enum ALSA {
  private static let silenced: Void = recorder_alsa_silence()

  /// Stops the library from writing to stderr: its failures come back as codes, and are reported once.
  static func silence() { silenced }
}
