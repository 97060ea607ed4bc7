internal import Audio
internal import Linux
package import Recording

/// Notices a device that neither delivers nor answers.
package struct Stall {
  private var captured = 0
  private var since = KernelClock.monotonic.now

  /// A detector that has seen no frames.
  package init() {}

  /// True once the device has delivered no frame for `limit`; a new frame restarts the time.
  package mutating func isOver(_ recording: Recording, allowing limit: Duration) -> Bool {
    let now = KernelClock.monotonic.now
    let captured = Int((recording.captured + recording.lost).value)
    if captured != self.captured || recording.captureEnd != nil {
      self.captured = captured
      since = now
    }
    return now - since > limit
  }
}
