internal import Control

/// A device, and the surroundings that say which one its name means.
struct OutputKey: Hashable, Sendable {
  let device: String
  private let environment: PlayerEnvironment

  /// What only the library of sounds looks at.
  private static let others: Set<String> = [
    "XDG_DATA_HOME", "XDG_DATA_DIRS", "LC_ALL", "LC_MESSAGES", "LANG", "RECORDER_SOUND_THEME",
    "RECORDER_SOUND_PROFILE",
  ]

  init(_ device: String, _ environment: PlayerEnvironment) {
    self.device = device
    self.environment = environment.filter { !Self.others.contains($0.key) }
  }

  /// Does something in these surroundings.
  func inSurroundings<Value: ~Copyable & Sendable, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try Surroundings.with(environment, body)
  }
}
