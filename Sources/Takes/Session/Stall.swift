internal import Audio
internal import Linux
internal import Recording

/// Detects a device that delivers no frames and reports no error.
struct Stall {
  private var captured = 0
  private var silence: AttendedTime

  /// - Parameter pace: the longest time between two checks.
  init(checkedEvery pace: Duration) {
    silence = AttendedTime(since: KernelClock.monotonic.now, longestLook: pace)
  }

  /// Whether the last check found no new frame.
  var isSuspected: Bool { silence.passed > .zero }

  /// Returns true if the device has delivered no frame for longer than `limit`. A new frame
  /// restarts the time.
  mutating func isOver(_ recording: Recording, allowing limit: Duration) -> Bool {
    let now = KernelClock.monotonic.now
    let captured = Int((recording.captured + recording.lost).value)
    silence.check(at: now)
    if captured != self.captured || recording.captureEnd != nil || recording.isReleased {
      self.captured = captured
      silence.restart(at: now)
    }
    return silence.passed > limit
  }
}
