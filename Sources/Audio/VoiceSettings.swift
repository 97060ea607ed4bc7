/// The rules that start and stop a take by the level of the sound.
package struct VoiceSettings: Hashable, Sendable {
  /// Whether the take waits for a trigger before it records.
  package var isArmed = false
  /// The level that starts the take, or nil if the take starts immediately or only by a trigger.
  package var start: Decibels?
  /// The length of the pre-roll: the sound directly before the start, which is added to the take.
  package var preRoll: Duration = .zero
  /// The length of silence that stops the take, or nil if silence does not stop it.
  package var silence: Duration?
  /// The level below which sound counts as silence.
  package var threshold = Self.usualThreshold

  /// The default threshold. A voice at a table is louder than this level, and a quiet room is
  /// quieter.
  package static let usualThreshold = Decibels(-50)

  /// Settings of a take that starts immediately and is not stopped by silence.
  package init() {}

  /// Whether a take with these settings waits before it starts: it is armed or has a start level.
  package var waits: Bool { isArmed || start != nil }
}
