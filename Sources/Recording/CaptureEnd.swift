/// How the capture of a recording ended.
package enum CaptureEnd: Hashable, Sendable {
  /// As it was told to.
  case stopped
  /// The device went away; what it said last.
  case disconnected(String)
  /// The device delivered nothing and did not say why.
  case stalled(Duration)
  /// The device cannot be used any more; what it said.
  case failed(String)
}
