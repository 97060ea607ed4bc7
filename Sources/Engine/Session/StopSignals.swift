internal import Linux
internal import Takes

/// The signals of a session: each ends it, except those of the terminal, and except that a session in
/// the background survives its terminal's hang-up.
final class StopSignals: StopRequest {
  private let signals: Signals
  private let isForeground: Bool
  /// True once a signal that ends the session has arrived.
  private(set) var hasCome = false
  private var hasHungUp = false
  private var mustStop = false
  private var mustLeave = false
  /// Whether another process has the terminal, until the shell continues this one.
  private(set) var isAway = false

  init(_ signals: consuming Signals, isForeground: Bool) {
    self.signals = signals
    self.isForeground = isForeground
  }

  /// The descriptor that is readable when a signal has arrived.
  var number: Int32 { signals.descriptor.number }

  /// Reads the signals that have arrived.
  func take() {
    while let arrival = signals.next() {
      switch arrival.signal {
      case .hangUp where !isForeground: hasHungUp = true
      case .terminalStop: mustStop = true
      case .leave: (mustLeave, isAway) = (true, true)
      case .resume: isAway = false
      default: hasCome = true
      }
    }
  }

  /// True if Ctrl-Z was typed since the last call.
  func takeTerminalStop() -> Bool {
    defer { mustStop = false }
    return mustStop
  }

  /// True if the process that started this one has asked since the last call for the terminal.
  func takeLeave() -> Bool {
    defer { mustLeave = false }
    return mustLeave
  }

  /// True if a hang-up that does not end the session has arrived since the last call, so that the
  /// access is to be checked.
  func takeDoubt() -> Bool {
    defer { hasHungUp = false }
    return hasHungUp
  }
}
