/// When a take begins and ends by itself, by what is heard.
package struct VoiceSettings: Hashable, Sendable {
  /// Nothing is kept until somebody triggers it.
  package var isArmed = false
  /// A sound as loud as that begins the take; nil where it begins at once or by an order alone.
  package var start: Decibels?
  /// How much of what was heard before the beginning is kept.
  package var preRoll: Duration = .zero
  /// A silence as long as that ends the take.
  package var silence: Duration?
  /// What is below is silence.
  package var threshold = Self.usualThreshold

  /// Below a voice at a table, above a quiet room.
  package static let usualThreshold = Decibels(-50)

  package init() {}

  /// Whether there is a time in which nothing is kept yet.
  package var waits: Bool { isArmed || start != nil }
}
