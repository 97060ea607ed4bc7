internal import Audio
internal import Linux
package import Recording

/// Notices a device that neither delivers nor answers.
package struct Stall {
  private var captured = 0
  private var since = KernelClock.monotonic.now

  package init() {}

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
