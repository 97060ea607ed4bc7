/// The state of a playback. The raw values are used in the protocol and in JSON.
package enum PlaybackState: String, BitwiseCopyable, Hashable, CaseIterable, Sendable {
  /// Silent, with a position to resume from.
  case stopped
  /// Rendered in each period, even if muted.
  case playing
  /// Silent because of a pause, with a position to resume from.
  case paused
  /// Played to the end.
  case ended
}
