/// The reason why a recording ended.
package enum EndReason: String, Hashable, Sendable {
  /// A command, a key or a signal stopped it.
  case stopped
  /// The duration limit was reached.
  case duration
  /// The size limit was reached.
  case size
  /// The take continues in another file.
  case split
  /// The silence lasted for as long as `--stop-on-silence` allows.
  case silence
  /// The disk is full or failed.
  case disk
  /// The device was disconnected or stopped delivering.
  case device
  /// Microphone access was revoked.
  case permission
  /// Microphone access expired.
  case expired
  /// The reader of the standard output closed it.
  case closedOutput
  /// Its process died; the frames on the disk were recovered later.
  case interrupted
  /// It was cancelled; no file was kept.
  case cancelled
}
