/// The parts of a sound that are kept in memory.
enum SoundMemoryLimits {
  /// The longest sound that is decoded as a whole before any of it is heard.
  static let longestWhole = Duration.seconds(30)
  /// The beginning of a longer one, so that a loop has the time for a new decoder.
  static let beginning = Duration.seconds(2)
}
