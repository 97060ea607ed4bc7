/// The number of times that a sound plays.
public enum Repetition: Hashable, Sendable {
  case once
  /// This total number of times, at least 1.
  case times(Int)
  /// Repeats until the sound is stopped.
  case forever
}

extension Repetition {
  /// The total number of plays, or nil for no limit.
  package var plays: Int? {
    switch self {
    case .once: 1
    case .times(let times): times
    case .forever: nil
    }
  }

  /// The same repetition, with a limited number.
  var limited: Repetition {
    guard case .times(let times) = self else { return self }
    return times > 1 ? .times(min(times, 1 << 40)) : .once
  }
}

extension SuspendingClock.Instant {
  /// The time on the kernel's monotonic clock, which is the suspending clock of Linux.
  var monotonic: Duration { SuspendingClock().systemEpoch.duration(to: self) }
}
