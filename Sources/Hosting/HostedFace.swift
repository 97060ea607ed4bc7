internal import Audio
internal import Linux
package import Playback
package import Sounds
internal import Synchronization

/// The end of a play.
package enum HostedEnd: Equatable, Sendable {
  /// The sound played to its end.
  case finished
  /// The sound was stopped.
  case stopped
  /// The sound could not be played, or failed before its end.
  case failed(SoundError)
}

/// The state of a hosted playback: the state that the caller ordered last, or `ended`.
package enum HostedState: Hashable, Sendable {
  case stopped, playing, paused, ended
}
/// The handlers of one hosted playback. They run on the player's thread and must not block.
package struct HostedHandlers: Sendable {
  /// Called when a play ends.
  package var ended: @Sendable (HostedEnd) -> Void = { _ in }
  /// Called every 50 ms with the loudness while level reports are on.
  package var levels: @Sendable (VoiceLevels) -> Void = { _ in }

  /// Handlers that do nothing.
  package init() {}
}

/// The state of a playback that callers can read. The player's thread updates it.
final class HostedFace: Sendable {
  private struct Facts {
    var state = HostedState.stopped
    /// The number of orders that changed the state.
    var orders = 0
    /// The position while the playback has no voice.
    var position = Duration.zero
    /// The target of a seek that the voice has not carried out yet, or nil if there is none.
    var sought: Duration?
    /// The number of seeks.
    var seeks = 0
    var voice: (output: Output, identifier: VoiceID)?
    var length: Duration?
    var isKnown = false
  }

  let source: PlaySource
  let handlers: HostedHandlers
  private let facts = Mutex(Facts())

  init(_ source: PlaySource, _ handlers: HostedHandlers) {
    self.source = source
    self.handlers = handlers
  }

  var state: HostedState { facts.withLock { $0.state } }

  /// Applies an order to the state and returns the number of the order.
  func order(_ change: (HostedState) -> HostedState) -> Int {
    facts.withLock { facts in
      facts.state = change(facts.state)
      facts.orders += 1
      return facts.orders
    }
  }

  /// Sets the state to `ended`, unless another order has changed it since the order `number`.
  func end(after number: Int) {
    facts.withLock { if $0.orders == number { $0.state = .ended } }
  }

  /// Whether an order for this playback has been sent to the player's thread.
  var isKnown: Bool { facts.withLock { $0.isKnown } }
  func know() { facts.withLock { $0.isKnown = true } }

  /// The latest report of the voice and the rate of its frames, or nil if there is no voice.
  var report: (report: VoiceReport, rate: SampleRate)? {
    guard let voice = facts.withLock({ $0.voice }),
      let report = voice.output.report(of: voice.identifier)
    else { return nil }
    return (report, voice.output.format.rate)
  }

  var position: Duration {
    let (sought, resting, length) = facts.withLock { ($0.sought, $0.position, $0.length) }
    let current = sought ?? report.map { $0.report.position.duration(at: $0.rate) } ?? resting
    return length.map { min($0, current) } ?? current
  }

  func seek(to position: Duration) {
    facts.withLock { facts in
      facts.sought = position
      facts.seeks += 1
    }
  }

  /// The number of seeks so far.
  var seeks: Int { facts.withLock { $0.seeks } }

  /// Clears the target of the seek because it is reached, unless another seek was ordered since.
  func reach(_ seeks: Int) {
    facts.withLock { if $0.seeks == seeks { $0.sought = nil } }
  }

  func set(length: Duration) { facts.withLock { $0.length = length } }

  /// Sets or removes the voice. The position applies while there is no voice.
  func set(voice: (output: Output, identifier: VoiceID)?, at position: Duration) {
    facts.withLock { facts in
      facts.voice = voice
      facts.position = position
    }
  }
}
