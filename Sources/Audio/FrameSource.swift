/// A device that delivers interleaved frames in its own format, at its own pace.
///
/// The engines are generic over it, so they run on a sound card, on a built-in device and in a test alike.
/// One thread owns a source; none of these calls allocates or locks once `start` has returned.
package protocol FrameSource: ~Copyable, Sendable {
  /// Why a call of this device may fail.
  associatedtype Failure: StreamFailure

  /// What the frames carry; fixed from the opening on.
  var format: StreamFormat { get }

  /// How many frames the device holds before it loses some.
  var capacity: FrameCount { get }

  /// How many frames lie between two wakes of the device.
  var period: FrameCount { get }

  /// Whether `read` tells of every frame that was lost; where not, only the clock can tell.
  var countsLostFrames: Bool { get }

  /// Begins to capture.
  mutating func start() throws(Failure)

  /// Waits until there are frames to read, `wake` becomes readable or `limit` passes.
  ///
  /// - Parameter wake: a file descriptor that another thread makes readable to end the wait.
  mutating func wait(upTo limit: Duration, wake: Int32) throws(Failure) -> Readiness

  /// Reads whole frames into `buffer` without waiting; none is not an error.
  mutating func read(into buffer: inout MutableRawSpan) throws(Failure) -> FramesRead

  /// Where the stream stands now.
  mutating func timing() throws(Failure) -> StreamTiming

  /// Makes the stream run again after an overrun or a suspend.
  ///
  /// Returns false where the device needs longer; call again after a wait.
  mutating func recover() throws(Failure) -> Bool

  /// Stops at once; what was not read is gone.
  mutating func stop()

  /// Gives the device back, so that it can go and come again; afterwards only properties may be asked for.
  mutating func close()
}

extension FrameSource where Self: ~Copyable {
  package mutating func close() { stop() }
}
