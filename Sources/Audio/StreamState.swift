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

  /// A read of `count` frames, after a loss of `lost`.
  package init(count: Int, lost: FrameCount = 0) {
    self.count = count
    self.lost = lost
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
