internal import Linux
internal import Takes

/// The signals of a session: each means that it ends, except that one in the background outlives its
/// terminal.
final class StopSignals: StopRequest {
  private let signals: Signals
  private let isForeground: Bool
  /// Whether one came that means an end.
  private(set) var hasCome = false
  private var hasHungUp = false
  private var mustStop = false

  init(_ signals: consuming Signals, isForeground: Bool) {
    self.signals = signals
    self.isForeground = isForeground
  }

  /// Readable when one arrived.
  var number: Int32 { signals.descriptor.number }

  /// Takes those that arrived.
  func take() {
    while let arrival = signals.next() {
      switch arrival.signal {
      case .hangUp where !isForeground: hasHungUp = true
      case .terminalStop: mustStop = true
      default: hasCome = true
      }
    }
  }

  /// True if Ctrl-Z was typed since the last call.
  func takeTerminalStop() -> Bool {
    defer { mustStop = false }
    return mustStop
  }

  /// Whether a terminal went since the last call that is none of its business, or whether somebody wants
  /// what may have changed to be read again.
  func takeDoubt() -> Bool {
    defer { hasHungUp = false }
    return hasHungUp
  }
}
