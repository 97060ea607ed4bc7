package import Linux

/// A command on the permission.
package enum PermissionCommand: Hashable, Sendable {
  case status
  /// A request for permission, with the user's answer or the reason for having none.
  case request(PromptAnswer)
  case grant(GrantTerm)
  case revoke
  case reset(force: Bool)
}

/// The outcome of a question at the prompt.
package enum PromptAnswer: Hashable, Sendable {
  case always
  /// Permission for this session, or for the next one if no session asks.
  case onlyThisTime
  case never
  /// Enter, the end of the input, or no answer in time.
  case notNow
  /// Ctrl-C.
  case interrupted
  /// There was no terminal to ask on.
  case noTerminal
}

/// The term of a grant.
package enum GrantTerm: Hashable, Sendable {
  case forever
  case once
  case lasting(Duration)
  case until(WallTime)

  /// The shortest and the longest limited grant: 10 seconds to 30 days.
  package static let range = Duration.seconds(10)...Duration.seconds(30 * 86_400)

  /// The time from `clock` to the end of the grant; nil if it is unlimited.
  package func duration(from clock: ClockReading) -> Duration? {
    switch self {
    case .forever: nil
    case .once: Record.onceWaits
    case .lasting(let duration): duration
    case .until(let time): time - clock.wall
    }
  }

  /// True if the term is unlimited or within `range`.
  package func isPossible(from clock: ClockReading) -> Bool {
    duration(from: clock).map(Self.range.contains) ?? true
  }

  /// The consent to store; nil if the term is out of range or the boot is unknown.
  package func consent(from clock: ClockReading) -> Record.Consent? {
    guard let duration = duration(from: clock) else { return .forever }
    guard Self.range.contains(duration), let limit = GrantLimit(duration, from: clock) else {
      return nil
    }
    return self == .once ? .once(limit) : .timed(limit)
  }
}
