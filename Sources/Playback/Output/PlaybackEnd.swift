/// How an output ended.
package enum PlaybackEnd: Hashable, Sendable {
  /// As it was told to.
  case finished
  /// The device went and did not come back in time; what it said.
  case disconnected(String)
  /// The device takes nothing any more and does not say why.
  case stalled(Duration)
}
