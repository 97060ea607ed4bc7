/// The end of the capture of a recording.
package enum CaptureEnd: Hashable, Sendable {
  /// An order stopped it.
  case stopped
  /// The device went away; its last message.
  case disconnected(String)
  /// The device delivered nothing for this long and reported no error.
  case stalled(Duration)
  /// The device cannot be used any more; its message.
  case failed(String)
}
