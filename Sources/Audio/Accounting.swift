/// The counts of a recording: the fate of every frame, counted at the device's rate.
///
/// `elapsed = captured + lost` and `onDisk = captured − discarded + filled`, always and exactly.
package struct Accounting: Hashable, Sendable {
  /// Frames that the device delivered.
  package var captured: FrameCount = 0
  /// Frames that passed by the clock and were not delivered.
  package var lost: FrameCount = 0
  /// Delivered frames that were skipped on purpose: while paused, or before a trigger.
  package var discarded: FrameCount = 0
  /// Frames of silence written in place of lost ones.
  package var filled: FrameCount = 0

  /// An empty account: all counts 0.
  package init() {}

  /// Frames since the first one, delivered or lost.
  package var elapsed: FrameCount { captured + lost }
  /// Frames in the file.
  package var onDisk: FrameCount { captured - discarded + filled }

  /// The sum of the accounts of two files.
  package static func + (left: Accounting, right: Accounting) -> Accounting {
    var sum = left
    sum.captured += right.captured
    sum.lost += right.lost
    sum.discarded += right.discarded
    sum.filled += right.filled
    return sum
  }
}

/// A stretch of a recording that was lost.
package struct Gap: Hashable, Sendable {
  /// The reason for a loss of frames.
  package enum Cause: String, Hashable, Sendable {
    /// The program was late.
    case overrun
    /// The machine slept.
    case suspended
    /// The device was away.
    case disconnected
    /// The device delivered nothing and reported no error.
    case stalled
    /// The disk was slower than the sound for longer than the memory in between holds.
    case disk
  }

  /// The frame of the file at which it lies, at the device's rate.
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
}
