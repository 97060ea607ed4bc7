internal import CPipeWire

/// A timer on the thread of a connection.
///
/// SAFETY: its state is used only by that thread, or while the loop is locked. The timer ends with
/// the loop, before this object is released.
@safe final class Alarm: @unchecked Sendable {
  private let loop: UnsafeMutableRawPointer
  private var timer: UnsafeMutableRawPointer?
  /// The action of the alarm, or nil if it has none.
  var action: (() -> Void)?

  init(of loop: UnsafeMutableRawPointer) { unsafe self.loop = loop }

  /// Performs the action once after `time`. Replaces the time of an earlier call.
  func set(after time: Duration) {
    if unsafe timer == nil {
      let owner = unsafe Unmanaged.passUnretained(self).toOpaque()
      unsafe timer = pipewire_add_timer(
        loop, { data, _ in unsafe object(Alarm.self, data)?.action?() }, owner)
    }
    guard let timer = unsafe timer else { return }
    // A time of 0 would stop the timer.
    _ = unsafe pipewire_set_timer(loop, timer, max(1, Int64(time / .nanoseconds(1))))
  }
}
