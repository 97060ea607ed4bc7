/// Why a recording ended.
package enum EndReason: String, Hashable, Sendable {
  /// Somebody stopped it: a command, a key or a signal.
  case stopped
  /// It was as long as asked.
  case duration
  /// The file was as large as asked.
  case size
  /// The take goes on in another file.
  case split
  /// Nothing but silence came for as long as asked.
  case silence
  /// The disk is full, or failed.
  case disk
  /// The device went away, or delivered nothing any more.
  case device
  /// The permission was taken back.
  case permission
  /// The permission was granted until now.
  case expired
  /// Whoever read the standard output closed it.
  case closedOutput
  /// Its process died; what it had was recovered later.
  case interrupted
  /// Somebody cancelled it; nothing was kept.
  case cancelled
}
