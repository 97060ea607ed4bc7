/// A device that captures or plays interleaved frames, in its own format and at its own rate.
///
/// Only one thread at a time uses a device. After `start` has returned, no function of this
/// protocol allocates or locks.
package protocol FrameDevice: ~Copyable, Sendable {
  /// The errors of this device.
  associatedtype Failure: StreamFailure

  /// The format of the frames. It does not change while the device is open.
  var format: StreamFormat { get }

  /// The size of the device's buffer in frames. A source loses frames if its buffer is full.
  var capacity: FrameCount { get }

  /// Starts the capture, or starts to play the written frames.
  mutating func start() throws(Failure)

  /// Waits until there are frames to read or room to write, `wake` becomes readable or `limit`
  /// passes.
  ///
  /// - Parameter wake: a file descriptor that another thread makes readable to end the wait.
  mutating func wait(upTo limit: Duration, wake: Int32) throws(Failure) -> Readiness

  /// Returns the current position of the stream.
  mutating func timing() throws(Failure) -> StreamTiming

  /// Restarts the stream after an overrun or a suspend. After an underrun, prepares the stream, so
  /// that frames can be written and `start` can be called again.
  ///
  /// Returns false if the device needs more time. In this case, call `recover` again after a wait.
  mutating func recover() throws(Failure) -> Bool

  /// Stops immediately and drops the frames that were not read or played.
  mutating func stop()
}

/// A device that delivers frames.
///
/// The capture loop is generic over this protocol. So the loop works with a sound card, with a
/// built-in device and with the source of a test.
package protocol FrameSource: FrameDevice, ~Copyable {
  /// The number of frames between two wakeups of the device.
  var period: FrameCount { get }

  /// The maximum number of frames that are unread shortly after a read has emptied the device.
  /// These frames have arrived since the read, or wait for frames of another device.
  var mostUnread: FrameCount { get }

  /// Whether `read` reports every lost frame. If false, losses can only be detected with the clock.
  var countsLostFrames: Bool { get }

  /// Returns the position at the last interrupt of the device, with the exact time of that
  /// position. Since then, more frames may have arrived.
  mutating func lastStep() throws(Failure) -> StreamTiming

  /// Reads whole frames into `buffer` without waiting. It is not an error if there are none.
  mutating func read(into buffer: inout MutableRawSpan) throws(Failure) -> FramesRead

  /// Stops recording these tracks, so that their channels are silent. A source that uses the
  /// default implementation continues to deliver the sound of the tracks. `tracks` also contains
  /// the tracks of all earlier calls. This call may allocate and lock.
  mutating func silence(_ tracks: TrackSet)

  /// Closes the device, so that the system can remove it and add it again. After that, only its
  /// properties and `reopen` may be used.
  mutating func close()

  /// Closes the device after a failure, so that it can be opened again. A combined source closes
  /// only its first device.
  mutating func lose()

  /// Opens the closed device again, and starts it. Returns whether this succeeded and the format is
  /// the same as before.
  ///
  /// - Parameter open: opens the device and returns a new value for it, or nil if that fails.
  mutating func reopen(_ open: () -> Self?) -> Bool
}

extension FrameSource where Self: ~Copyable {
  /// Returns the current position. For a source without interrupts, the time of the current
  /// position is exact.
  package mutating func lastStep() throws(Failure) -> StreamTiming { try timing() }

  /// One period.
  package var mostUnread: FrameCount { period }

  /// Stops the stream. That is enough for a source that holds no other resources.
  package mutating func close() { stop() }

  /// Closes the whole device.
  package mutating func lose() { close() }

  /// Replaces this value with the value that `open` returns.
  package mutating func reopen(_ open: () -> Self?) -> Bool { replace(by: open) }

  /// Replaces this value with the value that `open` returns, if the new value has the same format
  /// and starts.
  package mutating func replace(by open: () -> Self?) -> Bool {
    guard var next = open(), next.format == format, (try? next.start()) != nil else { return false }
    self = next
    return true
  }

  /// Does nothing. The writer of a take silences these tracks itself.
  package mutating func silence(_ tracks: TrackSet) {}
}

/// A device that plays frames.
package protocol FrameSink: FrameDevice, ~Copyable {
  /// Writes whole frames without waiting and returns the number of frames that the device accepted.
  /// A result of 0 is not an error.
  mutating func write(_ frames: RawSpan) throws(Failure) -> Int

  /// Rewinds over the last `frames` written frames, so that the next write replaces them. Returns
  /// false if the device may be about to play these frames, or if the device cannot rewind.
  mutating func takeBack(_ frames: FrameCount) -> Bool
}

extension FrameSink where Self: ~Copyable {
  /// Returns false, because the sink cannot rewind.
  package mutating func takeBack(_ frames: FrameCount) -> Bool { false }
}

/// The reason why a wait on a device ended.
package enum Readiness: Sendable {
  /// There are frames to read, or room to write.
  case ready
  /// The wake descriptor became readable.
  case woken
  /// The time limit passed.
  case timedOut
}

/// The result of one read: the returned frames, and the frames lost before them.
package struct FramesRead: Hashable, Sendable {
  /// The number of frames that the read has stored at the beginning of the buffer.
  package var count: Int
  /// The number of frames lost directly before these frames. The device overwrote them because they
  /// were not read in time.
  package var lost: FrameCount
  /// Whether the read emptied the device. New frames can arrive at any time.
  package var isAll: Bool
  /// The tracks that are silent in these frames.
  package var silent: SilentTracks

  /// A read of `count` frames after a loss of `lost` frames.
  package init(
    count: Int, lost: FrameCount = 0, isAll: Bool = false, silent: SilentTracks = SilentTracks()
  ) {
    self.count = count
    self.lost = lost
    self.isAll = isAll
    self.silent = silent
  }
}

/// The position of a running stream at one instant.
package struct StreamTiming: Hashable, Sendable {
  /// The time of the measurement on CLOCK_MONOTONIC.
  package var instant: Duration
  /// The number of frames that can be read or written. The number can be higher than the capacity
  /// if the device includes lost frames in it.
  package var available: FrameCount
  /// The number of frames between the converter and the last frame read or written, including the
  /// frames on the way to or from the buffer.
  package var delay: FrameCount

  /// The number of frames between the converter and the buffer.
  package var onTheWay: FrameCount { delay - available }

  /// A position measured at `instant`. If `delay` is nil, there are no frames between the converter
  /// and the buffer.
  package init(instant: Duration, available: FrameCount, delay: FrameCount? = nil) {
    self.instant = instant
    self.available = available
    self.delay = delay ?? available
  }
}

/// The kind of a stream's failure. It determines how the caller reacts.
package enum StreamCondition: Sendable {
  /// The program was late: a source lost frames, or a sink had no frames to play. `recover` resumes
  /// the stream.
  case xrun
  /// The machine was suspended. `recover` resumes the stream.
  case suspended
  /// The device was removed.
  case disconnected
  /// Any other failure. The stream cannot be used any more.
  case failed
}

/// A failure of a stream.
package protocol StreamFailure: Error, Sendable {
  /// The kind of this failure. It determines how the caller reacts.
  var condition: StreamCondition { get }
}

/// The failure type of a computed stream, which never fails.
extension Never: StreamFailure {
  /// Never called, because this type has no values.
  package var condition: StreamCondition { switch self {} }
}

extension StreamFormat {
  /// Returns the time without frames after which a device with this period counts as stalled: 3 s, or
  /// four periods if they are longer. So a sound server that hangs for two seconds causes only a gap.
  // This is not a property of `FrameSource`: with optimization, Swift 6.3 crashes on its
  // specialization for a noncopyable enum.
  package func longestSilence(withPeriod period: FrameCount) -> Duration {
    max(.seconds(3), FrameCount(4 * period.value).duration(at: rate))
  }
}
