/// A device that delivers interleaved frames in its own format, at its own pace.
///
/// The engines are generic over it, so they run on a sound card, on a built-in device and in a test alike.
/// One thread owns a source; none of these calls allocates or locks once `start` has returned.
package protocol FrameSource: ~Copyable, Sendable {
  /// The errors of this device.
  associatedtype Failure: StreamFailure

  /// The format of the frames; fixed once the device is open.
  var format: StreamFormat { get }

  /// The number of frames that the device holds before it loses some.
  var capacity: FrameCount { get }

  /// The number of frames between two wakes of the device.
  var period: FrameCount { get }

  /// True where `read` reports every lost frame; where false, losses show only against the clock.
  var countsLostFrames: Bool { get }

  /// Starts to capture.
  mutating func start() throws(Failure)

  /// Waits until there are frames to read, `wake` becomes readable or `limit` passes.
  ///
  /// - Parameter wake: a file descriptor that another thread makes readable to end the wait.
  mutating func wait(upTo limit: Duration, wake: Int32) throws(Failure) -> Readiness

  /// Reads whole frames into `buffer` without waiting; none is not an error.
  mutating func read(into buffer: inout MutableRawSpan) throws(Failure) -> FramesRead

  /// Returns the position of the stream at this instant.
  mutating func timing() throws(Failure) -> StreamTiming

  /// Makes the stream run again after an overrun or a suspend.
  ///
  /// Returns false where the device needs longer; call again after a wait.
  mutating func recover() throws(Failure) -> Bool

  /// Stops at once; what was not read is gone.
  mutating func stop()

  /// Closes the device, so that it can go and come back; only its properties may be used
  /// afterwards.
  mutating func close()
}

extension FrameSource where Self: ~Copyable {
  /// Stops the stream; enough for a source that holds nothing else open.
  package mutating func close() { stop() }
}
