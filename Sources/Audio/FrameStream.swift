/// A device that delivers interleaved frames in its own format, at its own pace.
///
/// The engines are generic over it, so they run on a sound card, on a built-in device and in a test
/// alike. One thread owns a source; none of these calls allocates or locks once `start` has
/// returned.
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

  /// Makes the stream ready again after an underrun or a suspend; false where the device needs
  /// longer.
  mutating func recover() throws(Failure) -> Bool

  /// Stops at once; what was written and not yet played is dropped.
  mutating func stop()

  /// Takes back the last frames that were written, to be written anew; false where the device may be
  /// about to play them, and where it takes nothing back.
  mutating func takeBack(_ frames: FrameCount) -> Bool
}

extension FrameSink where Self: ~Copyable {
  /// False: nothing is taken back.
  package mutating func takeBack(_ frames: FrameCount) -> Bool { false }
}

/// The reason that a wait on a device ended.
package enum Readiness: Sendable {
  /// There are frames to read, or room to write.
  case ready
  /// The wake descriptor became readable.
  case woken
  /// The time limit passed.
  case timedOut
}

/// The result of one read: the frames that it returned, and those that were lost before it.
package struct FramesRead: Hashable, Sendable {
  /// Frames now at the beginning of the buffer.
  package var count: Int
  /// Frames directly before these that the device overwrote because they were not read in time.
  package var lost: FrameCount
  /// True where the device is known to have had no more than these; it hears more at any time.
  package var isAll: Bool

  /// A read of `count` frames, after a loss of `lost`.
  package init(count: Int, lost: FrameCount = 0, isAll: Bool = false) {
    self.count = count
    self.lost = lost
    self.isAll = isAll
  }
}

/// The position of a running stream at one instant.
package struct StreamTiming: Hashable, Sendable {
  /// The time of the measurement by CLOCK_MONOTONIC.
  package var instant: Duration
  /// The time of the stream's start by CLOCK_MONOTONIC, if the device reports it.
  package var started: Duration?
  /// Frames to read, or room to write; more than the capacity where a device counts what it lost.
  package var available: FrameCount
  /// Frames between the converter at this instant and the last frame read or written, those that
  /// are on the way to or from the buffer included.
  package var delay: FrameCount

  /// Frames between the converter and the buffer.
  package var onTheWay: FrameCount { delay - available }

  /// A position measured at `instant`; without a delay nothing is on the way.
  package init(
    instant: Duration, started: Duration?, available: FrameCount, delay: FrameCount? = nil
  ) {
    self.instant = instant
    self.started = started
    self.available = available
    self.delay = delay ?? available
  }
}

/// The reaction that a failure of a stream needs.
package enum StreamCondition: Sendable {
  /// Frames were lost because the program was late; `recover` resumes the stream.
  case xrun
  /// The machine slept; `recover` resumes the stream.
  case suspended
  /// The device is gone.
  case disconnected
  /// Anything else; the stream cannot be used any more.
  case failed
}

/// A failure of a stream that names the reaction to it.
package protocol StreamFailure: Error, Sendable {
  /// The reaction that this failure needs.
  var condition: StreamCondition { get }
}

/// A stream that is only computed never fails.
extension Never: StreamFailure {
  /// Never called: there is no value of this type.
  package var condition: StreamCondition { switch self {} }
}
