internal import Control
internal import Linux
internal import Synchronization

/// A device, and the surroundings that say which one its name means.
struct OutputKey: Hashable, Sendable {
  let device: String
  private let environment: PlayerEnvironment

  /// What only the library of sounds looks at.
  private static let others: Set<String> = [
    "XDG_DATA_HOME", "XDG_DATA_DIRS", "LC_ALL", "LC_MESSAGES", "LANG", "RECORDER_SOUND_THEME",
    "RECORDER_SOUND_PROFILE",
  ]
  private static let current = Mutex<Set<String>>([])

  init(_ device: String, _ environment: PlayerEnvironment) {
    self.device = device
    self.environment = environment.filter { !Self.others.contains($0.key) }
  }

  /// Does something in these surroundings; one caller at a time, because a process has one environment.
  func inSurroundings<Value: ~Copyable & Sendable, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try Self.current.withLock { names throws(Failure) -> Value in
      for name in names where environment[name] == nil { Environment.set(name, to: nil) }
      for (name, value) in environment where Environment.value(of: name) != value {
        Environment.set(name, to: value)
      }
      names.formUnion(environment.keys)
      return try body()
    }
  }
}
