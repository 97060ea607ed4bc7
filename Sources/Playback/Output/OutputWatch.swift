internal import Linux

/// Detects that a call to the device of an output does not return, for example because the sound
/// server is frozen.
package struct OutputWatch {
  /// The longest time between two checks of an output that has work.
  package static let interval = Duration.seconds(1)

  /// The longest time for which a call may not return.
  package let patience: Duration
  /// The turns of the output at the last check.
  private var turns = 0
  /// The time for which the output has made no turn, although it has work.
  private var standstill = AttendedTime(since: .zero, longestLook: Self.interval)

  /// A watch of one output.
  package init(allowing patience: Duration) { self.patience = patience }

  /// Checks the output, and returns whether it is stuck. Its thread then cannot end before the
  /// call returns.
  ///
  /// - Parameter hasWork: whether a voice plays, or an order or the end of the output is due.
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
