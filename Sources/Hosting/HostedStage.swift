internal import Playback
internal import Sounds

/// The device and the decoders that the playbacks of one player share, on its thread.
protocol HostedStage: AnyObject, Sendable {
  /// The open device, or nil if no device is open.
  var output: Output? { get }
  /// The decoders and the frames that they have decoded.
  var loader: SoundLoader { get }

  /// Closes the device, then calls `done`. If a playback needs the device, it stays open and `done`
  /// is called at once.
  func close(_ done: @escaping @Sendable () -> Void)
}
