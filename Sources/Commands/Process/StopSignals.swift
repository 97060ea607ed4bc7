internal import Linux
internal import Takes

/// The signals of a session. All of them end the session, with two exceptions: the signals that
/// control the terminal, and a hang-up of the terminal if the session is in the background.
final class StopSignals: StopRequest {
  private let signals: Signals
  private let isForeground: Bool
  /// True once a signal that ends the session has arrived.
  private(set) var hasCome = false
  private var hasHungUp = false
  private var mustStop = false
  private var mustLeave = false
  /// True from a request to leave the terminal until the shell continues this process.
  private(set) var isAway = false

  init(_ signals: consuming Signals, isForeground: Bool) {
    self.signals = signals
    self.isForeground = isForeground
  }

  /// The descriptor that is readable after a signal has arrived.
  var number: Int32 { signals.descriptor.number }

  /// Reads the signals that have arrived.
  func take() {
    while let signal = signals.next() {
      switch signal {
      case .hangUp where !isForeground: hasHungUp = true
      case .terminalStop: mustStop = true
      case .leave: (mustLeave, isAway) = (true, true)
      case .resume: isAway = false
      default: hasCome = true
      }
    }
  }

  /// Returns whether Ctrl-Z was typed since the last call.
  func takeTerminalStop() -> Bool {
    defer { mustStop = false }
    return mustStop
  }

  /// Returns whether the parent process has asked this process to leave the terminal since the last
  /// call.
  func takeLeave() -> Bool {
    defer { mustLeave = false }
    return mustLeave
  }

  /// Returns whether a hang-up that does not end the session has arrived since the last call. The
  /// session must then check its access.
  func takeDoubt() -> Bool {
    defer { hasHungUp = false }
    return hasHungUp
  }
}
