internal import Audio
internal import Linux
package import Playback
package import Sounds
internal import Synchronization

/// The end of a play.
package enum HostedEnd: Equatable, Sendable {
  /// The sound came to its end.
  case finished
  /// It was stopped.
  case stopped
  /// It could not be played, or not to its end.
  case failed(SoundError)
}

/// The state of a hosted playback, as it was ordered or as it came.
package enum HostedState: Hashable, Sendable {
  case stopped, playing, paused, ended
}
/// The handlers of one hosted playback; they are called on the player's thread and must not wait.
package struct HostedHandlers: Sendable {
  /// Called with each end of a play.
  package var ended: @Sendable (HostedEnd) -> Void = { _ in }
  /// Called with the loudness every 50 ms while it is asked for.
  package var levels: @Sendable (VoiceLevels) -> Void = { _ in }

  /// Handlers that do nothing.
  package init() {}
}

/// The facts of a playback that callers see, and the player's thread keeps true.
final class HostedFace: Sendable {
  private struct Facts {
    var state = HostedState.stopped
    /// The number of orders that changed the state.
    var orders = 0
    /// The position while no voice has one.
    var position = Duration.zero
    /// A position that was ordered and that the voice does not have yet.
    var sought: Duration?
    /// The number of orders for positions.
    var seeks = 0
    var place: (output: Output, voice: VoiceID)?
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

  /// Changes the state by an order, and returns the number of that order.
  func order(_ change: (HostedState) -> HostedState) -> Int {
    facts.withLock { facts in
      facts.state = change(facts.state)
      facts.orders += 1
      return facts.orders
    }
  }

  /// Shows the end of a play, unless the state was ordered anew after the order of that number.
  func end(after number: Int) {
    facts.withLock { if $0.orders == number { $0.state = .ended } }
  }

  /// True once the player's thread knows it.
  var isKnown: Bool { facts.withLock { $0.isKnown } }
  func know() { facts.withLock { $0.isKnown = true } }

  /// The last report of its voice, and the rate of its frames.
  var report: (report: VoiceReport, rate: SampleRate)? {
    guard let place = facts.withLock({ $0.place }),
      let report = place.output.report(of: place.voice)
    else { return nil }
    return (report, place.output.format.rate)
  }

  var position: Duration {
    let (sought, resting, length) = facts.withLock { ($0.sought, $0.position, $0.length) }
    let place = sought ?? report.map { $0.report.position.duration(at: $0.rate) } ?? resting
    return length.map { min($0, place) } ?? place
  }

  func seek(to position: Duration) {
    facts.withLock { facts in
      facts.sought = position
      facts.seeks += 1
    }
  }

  /// The number of positions that were ordered so far.
  var seeks: Int { facts.withLock { $0.seeks } }

  /// Forgets the ordered position, because it is reached, unless another was ordered since.
  func reach(_ seeks: Int) {
    facts.withLock { if $0.seeks == seeks { $0.sought = nil } }
  }

  func set(length: Duration) { facts.withLock { $0.length = length } }

  /// Gives it a voice, or takes it away and keeps a position.
  func set(place: (output: Output, voice: VoiceID)?, at position: Duration) {
    facts.withLock { facts in
      facts.place = place
      facts.position = position
    }
  }
}
