internal import Audio
internal import Linux
internal import Recording

/// Detects a device that delivers no frames and reports no error.
struct Stall {
  private var captured = 0
  private var silence: AttendedTime

  /// The time that the capture thread has to end the capture after the longest silence. A thread
  /// that needs more time does not respond.
  private static let slack = Duration.seconds(2)

  /// - Parameter pace: the longest time between two checks.
  init(checkedEvery pace: Duration) {
    silence = AttendedTime(since: KernelClock.monotonic.now, longestLook: pace)
  }

  /// Whether the last check found no new frame.
  var isSuspected: Bool { silence.passed > .zero }

  /// Returns true if the device has delivered no frame for too long, and the capture thread has not
  /// ended the capture. A new frame restarts the time.
  ///
  /// - Parameter patience: the longest wait for a lost device.
  mutating func isOver(_ recording: Recording, allowing patience: Duration) -> Bool {
    let now = KernelClock.monotonic.now
    let captured = Int((recording.captured + recording.lost).value)
    silence.check(at: now)
    if captured != self.captured || recording.captureEnd != nil || recording.isReleased {
      self.captured = captured
      silence.restart(at: now)
    }
    return silence.passed > recording.longestSilence + Self.slack + patience
  }
}
