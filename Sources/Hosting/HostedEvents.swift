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
  /// Called when a play ends, with the number of the play. A later play may have begun before this
  /// call.
  package var ended: @Sendable (_ play: Int, HostedEnd) -> Void = { _, _ in }
  /// Called every 50 ms with the loudness while level reports are on.
  package var levels: @Sendable (VoiceLevels) -> Void = { _ in }

  /// Handlers that do nothing.
  package init() {}
}

/// The callers that wait for an event of a playback, and the functions to call once the lock is
/// released.
struct HostedCallers {
  /// An event that a caller waits for.
  enum Event {
    case prepared, started, stopped, settled
  }

  typealias Done = @Sendable (SoundError?) -> Void

  private var waiting: [(event: Event, done: Done)] = []
  private var calls: [@Sendable () -> Void] = []

  /// Whether no caller is waiting, and no function is to be called.
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

  /// Adds a function. It is called later, without the lock of the device.
  mutating func call(_ call: @escaping @Sendable () -> Void) { calls.append(call) }

  /// Returns the functions to call, in order, and removes them.
  mutating func takeCalls() -> [@Sendable () -> Void] {
    defer { calls = [] }
    return calls
  }
}

/// The settings of a playback. Each new voice of the playback gets these settings.
struct HostedSettings {
  var pan: Float = 0
  /// The number of times that the sound starts again after its end, or nil for no limit.
  var repeats: Int? = 0
  var isMeasured = false
  var reportsLevels = false

  private var isMetered: Bool { isMeasured || reportsLevels }

  /// Returns the commands that change a voice from the settings `old` to these settings. The
  /// repetitions are not included.
  func commands(after old: HostedSettings) -> [VoiceCommand] {
    (pan == old.pan ? [] : [.pan(pan)])
      + (isMetered == old.isMetered ? [] : [.meter(isMetered)])
  }
}
