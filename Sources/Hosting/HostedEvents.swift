package import Playback
package import Sounds

/// The end of a play.
package enum HostedEnd: Sendable {
  /// The sound played to its end.
  case finished
  /// The sound was stopped.
  case stopped
  /// The sound could not be played, or failed before its end.
  case failed(SoundError)
}

/// The handlers of one hosted playback. They run on the player's thread and must not block.
package struct HostedHandlers: Sendable {
  /// Called when a play ends, with the number of the play. A later play may have begun meanwhile.
  package var ended: @Sendable (_ play: Int, HostedEnd) -> Void = { _, _ in }
  /// Called every 50 ms with the loudness while level reports are on.
  package var levels: @Sendable (VoiceLevels) -> Void = { _ in }

  /// Handlers that do nothing.
  package init() {}
}

/// The callers that wait for an event of a playback, and the calls to make.
struct HostedCallers {
  /// An event that a caller waits for.
  enum Event {
    case prepared, started, stopped, settled
  }

  typealias Done = @Sendable (SoundError?) -> Void

  private var waiting: [(event: Event, done: Done)] = []
  private var calls: [@Sendable () -> Void] = []

  /// Whether no caller waits, and no call is left to make.
  var isEmpty: Bool { waiting.isEmpty && calls.isEmpty }

  /// Returns whether a caller waits for an event.
  func awaits(_ event: Event) -> Bool { waiting.contains { $0.event == event } }

  /// Adds a caller that waits for an event.
  mutating func add(_ event: Event, _ done: @escaping Done) { waiting.append((event, done)) }

  /// Answers all callers that wait for an event.
  mutating func answer(_ event: Event, _ error: SoundError? = nil) {
    for (_, done) in waiting.filter({ $0.event == event }) { call { done(error) } }
    waiting.removeAll { $0.event == event }
  }

  /// Adds a call. It is made later, without the lock of the device.
  mutating func call(_ call: @escaping @Sendable () -> Void) { calls.append(call) }

  /// Returns the calls to make, in order, and forgets them.
  mutating func takeCalls() -> [@Sendable () -> Void] {
    defer { calls = [] }
    return calls
  }
}

/// The settings of a playback that its voice gets when it begins.
struct HostedSettings {
  var pan: Float = 0
  /// The number of repetitions after the current round, or nil for no limit.
  var repeats: Int? = 0
  var isMeasured = false
  var reportsLevels = false

  private var isMetered: Bool { isMeasured || reportsLevels }

  /// Returns the commands that change a voice with the settings `old` to these, except the
  /// repetitions.
  func commands(after old: HostedSettings) -> [VoiceCommand] {
    (pan == old.pan ? [] : [.pan(pan)])
      + (isMetered == old.isMetered ? [] : [.meter(isMetered)])
  }
}
