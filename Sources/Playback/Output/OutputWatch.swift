internal import Linux

/// Detects that a call to the device of an output does not return, for example because the sound
/// server is frozen.
package struct OutputWatch {
  /// The longest time between two checks of an output that has work.
  package static let interval = Duration.seconds(1)

  /// The longest time that a call may take.
  package let patience: Duration
  /// The value of `Output.turns` at the last check.
  private var turns = 0
  /// The time since `Output.turns` last changed. It grows only while the output has work.
  private var standstill = AttendedTime(since: .zero, longestLook: Self.interval)

  /// A watch of one output.
  package init(allowing patience: Duration) { self.patience = patience }

  /// Returns whether a call to the device has taken too long. The thread of the output cannot end
  /// before this call returns.
  ///
  /// - Parameter hasWork: true if a voice plays, if an order waits, or if the output must end.
  package mutating func isStuck(_ output: Output, hasWork: Bool) -> Bool {
    let (now, turns) = (KernelClock.monotonic.now, output.turns)
    if hasWork && turns == self.turns {
      standstill.check(at: now)
    } else {
      standstill.restart(at: now)
    }
    self.turns = turns
    return standstill.passed > patience
  }
}
