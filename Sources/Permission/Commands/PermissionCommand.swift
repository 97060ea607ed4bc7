package import Linux

/// What somebody wants of the permission.
package enum PermissionCommand: Hashable, Sendable {
  case status
  /// To be asked, with the answer, or with the reason why there is none.
  case request(Answer)
  case grant(Term)
  case revoke
  case reset(force: Bool)
}

/// What came of a question at the prompt.
package enum Answer: Hashable, Sendable {
  case always
  /// For this session, or for the next one where none asks.
  case onlyThisTime
  case never
  /// Enter, the end of the input, or no answer in time.
  case notNow
  /// Ctrl-C.
  case interrupted
  /// There was nobody to ask.
  case noTerminal
}

/// How long a grant is to last.
package enum Term: Hashable, Sendable {
  case forever
  case once
  case lasting(Duration)
  case until(WallTime)

  /// What a limited grant may last.
  package static let range = Duration.seconds(10)...Duration.seconds(30 * 86_400)

  /// How long it would last from now, or nil where that is not limited.
  package func duration(from clock: ClockReading) -> Duration? {
    switch self {
    case .forever: nil
    case .once: Record.onceWaits
    case .lasting(let duration): duration
    case .until(let time): time - clock.wall
    }
  }

  /// Whether it is within what a grant may last.
  package func isPossible(from clock: ClockReading) -> Bool {
    duration(from: clock).map(Self.range.contains) ?? true
  }

  /// The consent that it stands for; nil where it is not possible, or no boot can be told from another.
  package func consent(from clock: ClockReading) -> Record.Consent? {
    guard let duration = duration(from: clock) else { return .forever }
    guard Self.range.contains(duration), let limit = Limit(duration, from: clock) else {
      return nil
    }
    return self == .once ? .once(limit) : .timed(limit)
  }
}
