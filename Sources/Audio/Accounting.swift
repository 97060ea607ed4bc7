/// The frame counts of a recording, at the device's rate. Every frame is counted.
///
/// `elapsed = captured + lost` and `onDisk = captured − discarded + filled`, always and exactly.
package struct Accounting: Hashable, Sendable {
  /// Frames that the device delivered and the program did not lose.
  package var captured: FrameCount = 0
  /// Frames that the device did not deliver, or that the program could not store.
  package var lost: FrameCount = 0
  /// Delivered frames that were skipped on purpose: during a pause, before a trigger, or after the
  /// reader of stdout had closed the pipe.
  package var discarded: FrameCount = 0
  /// The part of `discarded` that came before the start of an armed take.
  package var early: FrameCount = 0
  /// The part of `discarded` that came after the reader of stdout had closed the pipe.
  package var late: FrameCount = 0
  /// Frames of silence written instead of lost frames.
  package var filled: FrameCount = 0

  /// An empty account: all counts 0.
  package init() {}

  /// All frames since the first one, captured or lost.
  package var elapsed: FrameCount { captured + lost }
  /// Frames in the file.
  package var onDisk: FrameCount { captured - discarded + filled }

  /// Returns the sum of the accounts of two files.
  package static func + (left: Accounting, right: Accounting) -> Accounting {
    var sum = left
    sum.captured += right.captured
    sum.lost += right.lost
    sum.discarded += right.discarded
    sum.early += right.early
    sum.late += right.late
    sum.filled += right.filled
    return sum
  }
}

/// A range of lost frames in a recording, or of silence in one of its tracks.
package struct Gap: Hashable, Sendable {
  /// The reason for a loss of frames.
  package enum Cause: String, Hashable, BitwiseCopyable, Sendable {
    /// The program read too late.
    case overrun
    /// The machine was suspended.
    case suspended
    /// The device was disconnected.
    case disconnected
    /// The device delivered nothing and reported no error.
    case stalled
    /// The buffer was full because the disk was too slow, or a write failed.
    case disk
    /// The permission to record a track was removed.
    case permission
    /// The permission to record a track expired.
    case expired
  }

  /// The position in the file at which the gap begins, at the device's rate.
  package var position: FrameCount
  /// The number of lost frames.
  package var length: FrameCount
  /// The reason for the loss.
  package var cause: Cause

  /// A gap of `length` frames at `position`.
  package init(position: FrameCount, length: FrameCount, cause: Cause) {
    self.position = position
    self.length = length
    self.cause = cause
  }

  /// Returns the number of frames of silence that fill this gap in a file of `end` frames. The
  /// silence never continues after the end of the file.
  package func silence(upTo end: FrameCount) -> FrameCount { min(length, max(0, end - position)) }
}
