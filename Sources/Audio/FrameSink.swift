/// A device that plays interleaved frames in its own format, at its own pace.
///
/// One thread owns a sink; none of these calls allocates or locks once `start` has returned.
package protocol FrameSink: ~Copyable, Sendable {
  /// The errors of this device.
  associatedtype Failure: StreamFailure

  /// The format of the frames; fixed once the device is open.
  var format: StreamFormat { get }

  /// The size of the device's buffer in frames.
  var capacity: FrameCount { get }

  /// Starts to play the frames that were written.
  mutating func start() throws(Failure)

  /// Waits until there is room to write, `wake` becomes readable or `limit` passes.
  mutating func wait(upTo limit: Duration, wake: Int32) throws(Failure) -> Readiness

  /// Writes whole frames without waiting and returns how many were taken; none is not an error.
  mutating func write(_ frames: RawSpan) throws(Failure) -> Int

  /// Returns the position of the stream at this instant.
  mutating func timing() throws(Failure) -> StreamTiming

  /// Makes the stream ready again after an underrun or a suspend; false where the device needs longer.
  mutating func recover() throws(Failure) -> Bool

  /// Stops at once; what was written and not yet played is dropped.
  mutating func stop()
}
