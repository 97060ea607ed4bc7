internal import Audio
internal import Linux
internal import Synchronization

/// Closes a device, and opens and starts it again. These calls can block, so this object can make
/// them on its own thread.
final class Reopening<Source: FrameSource & ~Copyable>: Sendable {
  private struct State: ~Copyable {
    /// The device to close, or nil.
    var former: Source?
    /// The device that was opened and started, or nil.
    var ready: Source?
    /// Whether the device must be opened.
    var isWanted = false
    var isRunning = false
  }

  private let format: StreamFormat
  private let isOnOwnThread: Bool
  /// Opens the device. Returns nil if that is not possible or not allowed.
  private let open: @Sendable () -> Source?
  private let state = Mutex(State())

  private static var interval: Duration { .milliseconds(250) }

  /// A device with this format. Without `onOwnThread`, `close` and `take` can block.
  init(
    _ format: StreamFormat, onOwnThread isOnOwnThread: Bool,
    open: @escaping @Sendable () -> Source?
  ) {
    (self.format, self.isOnOwnThread, self.open) = (format, isOnOwnThread, open)
  }
}

extension Reopening where Source: ~Copyable {
  /// Closes the device, if there is one, and ends the attempts to open it again.
  func close(_ device: consuming Source?) {
    guard isOnOwnThread else {
      if var device = device.take() { device.close() }
      return
    }
    let former = Handoff(device)
    state.withLock { state in
      state.isWanted = false
      // `state.former` may still have a device that was not closed yet.
      if let device = former.take() ?? nil {
        state.former = consume device
      } else if state.former == nil {
        state.former = state.ready.take()
      }
      if state.former != nil { run(&state) }
    }
  }

  /// Returns the device if it runs again, otherwise nil. If it does not run yet, tries to open it:
  /// on the thread of this object, or during this call if there is no such thread.
  func take() -> Source? {
    if !isOnOwnThread { return attempt() }
    return state.withLockIfAvailable { state in
      if let device = state.ready.take() { return device }
      state.isWanted = true
      run(&state)
      return nil
    } ?? nil
  }

  /// Starts the thread. The thread ends when there is nothing to do, or after this object was
  /// released.
  private func run(_ state: inout State) {
    if state.isRunning { return }
    let thread = try? Thread("opening") { [weak self] in
      while let pause = self?.step() { KernelClock.sleep(pause) }
    }
    state.isRunning = thread != nil
  }

  /// Closes or opens the device. Returns the time until the next step, or nil if there is none.
  private func step() -> Duration? {
    if var former = state.withLock({ $0.former.take() }) {
      former.close()
      return .zero
    }
    let isWanted = state.withLock { state in
      state.isRunning = state.isWanted || state.former != nil
      return state.isRunning
    }
    guard isWanted else { return nil }
    guard let device = attempt() else { return Self.interval }
    let opened = Handoff(device)
    state.withLock { state in
      if state.isWanted { state.ready = opened.take() } else { state.former = opened.take() }
      state.isWanted = false
    }
    return .zero
  }

  private func attempt() -> Source? {
    guard var device = open(), device.format == format, (try? device.start()) != nil else {
      return nil
    }
    return device
  }
}
