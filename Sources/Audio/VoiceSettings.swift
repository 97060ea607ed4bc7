/// The rules by which a take starts and stops at the level of the sound.
package struct VoiceSettings: Hashable, Sendable {
  /// True where nothing is kept until somebody triggers the take.
  package var isArmed = false
  /// A sound at this level or above starts the take; nil where it starts at once or by an order
  /// alone.
  package var start: Decibels?
  /// The length of sound from before the start that is kept.
  package var preRoll: Duration = .zero
  /// The length of a silence that stops the take; nil where none does.
  package var silence: Duration?
  /// The level below which sound counts as silence.
  package var threshold = Self.usualThreshold

  /// The default threshold: below a voice at a table, above a quiet room.
  package static let usualThreshold = Decibels(-50)

  /// Settings of a take that starts at once and that no silence stops.
  package init() {}

  /// True while a take with these settings would start by waiting: it is armed or has a start
  /// level.
  package var waits: Bool { isArmed || start != nil }
}
