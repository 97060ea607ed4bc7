internal import Permission
internal import PipeWire

/// The refusals of programs. They are logged at increasing intervals, because a program that tries
/// again for days would otherwise displace the rest of the log.
struct GuardRefusals: Sendable {
  /// The refusals of a program since the last logged refusal.
  private struct Counted: Sendable {
    let logged: Duration
    /// The time after `logged` during which refusals are only counted.
    let pace: Duration
    var last: GuardStep?
    var count = 0
  }

  private var counted: [Subject: Counted] = [:]

  /// The time between the first two logged refusals of one program. With each further logged
  /// refusal, the time doubles.
  private static let shortest = Duration.seconds(1)
  /// The longest time between two logged refusals of one program.
  static let longest = Duration.seconds(600)
  /// The largest number of programs that are remembered for `longest`. If there are more, a program
  /// is forgotten when its refusals are logged and its `pace` has passed. Without this limit, a
  /// program could fill the memory with copies of itself, which count as other programs.
  static let most = 1_000

  /// The time at which the next counted refusals are logged, or nil if none are counted.
  var deadline: Duration? {
    counted.values.filter { $0.count > 0 }.map { $0.logged + $0.pace }.min()
  }

  /// Logs a refusal, or counts it and logs it later if the program's `pace` has not passed.
  mutating func add(
    _ use: Graph.Use, _ program: GuardedProgram, _ device: String, at now: Duration
  ) -> [GuardStep] {
    let subject = Subject(use.service, program.client)
    var found = counted[subject] ?? Counted(logged: now, pace: .zero)
    found.count += 1
    found.last = .refused(use, program, device: device, found.count)
    counted[subject] = found
    return log(subject, now)
  }

  /// Logs the counted refusals of all programs whose `pace` has passed.
  mutating func log(at now: Duration) -> [GuardStep] {
    let memory: Duration = counted.count > Self.most ? .zero : Self.longest
    return counted.keys.flatMap { log($0, now, memory) }
  }

  /// Logs the counted refusals of a program, if its `pace` has passed.
  ///
  /// - Parameter memory: the time after which a program without further refusals is forgotten.
  private mutating func log(
    _ subject: Subject, _ now: Duration, _ memory: Duration = Self.longest
  ) -> [GuardStep] {
    guard let found = counted[subject], now - found.logged >= found.pace else { return [] }
    if let last = found.last {
      let pace = min(max(found.pace * 2, Self.shortest), Self.longest)
      counted[subject] = Counted(logged: now, pace: pace)
      return [last]
    }
    if now - found.logged >= memory { counted[subject] = nil }
    return []
  }

  /// Removes the refusals of a program, and returns those that are not logged yet.
  mutating func take(_ subject: Subject) -> GuardStep? {
    counted.removeValue(forKey: subject)?.last
  }

  /// Removes all refusals, and returns those that are not logged yet.
  mutating func takeAll() -> [GuardStep] {
    defer { counted = [:] }
    return counted.values.compactMap(\.last)
  }
}
