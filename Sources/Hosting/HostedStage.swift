internal import Playback
internal import Sounds

/// The device and the decoders that the playbacks of one player share, on its thread.
protocol HostedStage: AnyObject, Sendable {
  /// The open device; nil where there is none.
  var output: Output? { get }
  /// The decoders, and the frames that they have decoded.
  var loader: SoundLoader { get }

  /// Closes the device, unless something needs it; then it is `done` at once.
  func close(_ done: @escaping @Sendable () -> Void)
}
