internal import JSON
package import Linux

/// The user's decision about one client.
package struct Record: Hashable, Sendable {
  /// The decision itself.
  package enum Consent: Hashable, Sendable {
    case denied
    case forever
    /// The grant is limited in time and survives restarts.
    indirect case timed(GrantLimit)
    /// The grant is for the next session, which must begin within the limit and before a restart.
    indirect case once(GrantLimit)
  }

  /// The origin of a decision.
  package enum Origin: String, CaseIterable, Sendable {
    case prompt
    case command
  }

  /// The decision.
  package let consent: Consent
  /// The time of the decision, in whole seconds.
  package let at: WallTime
  /// The origin of the decision.
  package let by: Origin

  /// Creates a record. The time is truncated to whole seconds.
  package init(_ consent: Consent, at time: WallTime, by origin: Origin) {
    self.consent = consent
    self.at = time.wholeSeconds
    self.by = origin
  }

  /// The time within which a grant for one recording must be used: 10 minutes.
  package static let onceWaits = Duration.seconds(600)

  /// True for a refusal.
  package var isDenial: Bool { consent == .denied }

  /// True for a grant for one recording. A session uses the grant up.
  var isForOneRecording: Bool { if case .once = consent { true } else { false } }
}

extension Record {
  /// The validity of a grant, with the time left if it is limited.
  package enum Validity: Hashable, Sendable {
    case valid(remaining: Duration?)
    case over
  }

  /// Returns the validity of the grant at this moment. A refusal is never valid.
  package func validity(_ clock: ClockReading) -> Validity {
    switch consent {
    case .denied: .over
    case .forever: .valid(remaining: nil)
    case .once(let limit): Self.validity(limit.remainingInThisBoot(clock))
    case .timed(let limit):
      Self.validity(
        limit.remainingInThisBoot(clock) ?? limit.remainingAfterRestart(clock, granted: at))
    }
  }

  private static func validity(_ remaining: Duration?) -> Validity {
    remaining.map { .valid(remaining: $0) } ?? .over
  }
}

/// The time limit of a grant, on both clocks.
package struct GrantLimit: Hashable, Sendable {
  /// The identity of the boot during which the grant was made. `start` and `end` are readings of a
  /// clock that starts with the boot and cannot be set.
  package let boot: String
  /// The time from the start of that boot to the grant.
  package let start: Duration
  /// The time from the start of that boot to the end of the grant. Before a restart, this time is
  /// used.
  package let end: Duration
  /// The calendar time of the end of the grant. After a restart, this time is used.
  package let until: WallTime

  /// Creates a limit from its parts. The result is nil if the boot is empty, the start is negative
  /// or the end is not after the start.
  package init?(boot: String, start: Duration, end: Duration, until: WallTime) {
    guard !boot.isEmpty, start >= .zero, end > start else { return nil }
    self.boot = boot
    self.start = start
    self.end = end
    self.until = until.wholeSeconds
  }

  /// Creates a limit that begins now. The result is nil if the boot is unknown or the duration is
  /// not positive.
  package init?(_ duration: Duration, from clock: ClockReading) {
    guard let boot = clock.boot else { return nil }
    self.init(
      boot: boot, start: clock.boottime, end: clock.boottime + duration,
      until: clock.wall + duration)
  }

  /// Returns the time left in the boot of the grant, or nil if the limit has passed or this is
  /// another boot.
  package func remainingInThisBoot(_ clock: ClockReading) -> Duration? {
    guard clock.boot == boot, clock.boottime >= start, clock.boottime < end else { return nil }
    return end - clock.boottime
  }

  /// Returns the time left by the calendar after a restart, or nil if the limit has passed.
  ///
  /// The grant was made before this boot. If the calendar says that this boot started before the
  /// grant, the clock was set back, and no time is left. At least the time since the start of this
  /// boot is subtracted from the duration of the grant.
  package func remainingAfterRestart(_ clock: ClockReading, granted: WallTime) -> Duration? {
    guard clock.boot != boot, (clock.wall - granted) >= clock.boottime else { return nil }
    let left = min(until - clock.wall, (end - start) - clock.boottime)
    return left > .zero ? left : nil
  }
}

extension Record {
  /// The record as stored.
  var json: JSONValue {
    var object: JSONObject = [
      "state": .string(isDenial ? "denied" : "authorized"), "at": .string(at.rfc3339),
    ]
    object.set("by", by.rawValue)
    switch consent {
    case .denied: break
    case .forever: object.set("lifespan", "forever")
    case .timed(let limit): object.set(limit, as: "timed")
    case .once(let limit): object.set(limit, as: "once")
    }
    return .object(object)
  }

  /// Reads a record; throws for a key that its state does not use.
  init(_ object: JSONObject) throws(JSONError) {
    let time = try object.parsed("at", WallTime.init(rfc3339:))
    let origin = try object.parsed("by", Origin.init(rawValue:))
    self.init(try Self.consent(object), at: time, by: origin)
  }

  private static func consent(_ object: JSONObject) throws(JSONError) -> Consent {
    switch try object.value("state", as: String.self) {
    case "denied":
      try object.requireOnly("state", "at", "by")
      return .denied
    case "authorized": return try grant(object)
    default: throw .unknown(key: "state")
    }
  }

  private static func grant(_ object: JSONObject) throws(JSONError) -> Consent {
    switch try object.value("lifespan", as: String.self) {
    case "forever":
      try object.requireOnly("state", "at", "by", "lifespan")
      return .forever
    case "timed": return .timed(try object.limit())
    case "once": return .once(try object.limit())
    default: throw .unknown(key: "lifespan")
    }
  }
}

extension JSONObject {
  fileprivate mutating func set(_ limit: GrantLimit, as lifespan: String) {
    set("lifespan", lifespan)
    set("until", limit.until.rfc3339)
    set("boot", limit.boot)
    set("start", limit.start.wholeNanoseconds)
    set("end", limit.end.wholeNanoseconds)
  }

  fileprivate func limit() throws(JSONError) -> GrantLimit {
    try requireOnly("state", "at", "by", "lifespan", "until", "boot", "start", "end")
    let start = Duration.nanoseconds(try value("start", as: Int64.self))
    let end = Duration.nanoseconds(try value("end", as: Int64.self))
    let until = try parsed("until", WallTime.init(rfc3339:))
    guard let limit = GrantLimit(boot: try value("boot"), start: start, end: end, until: until)
    else { throw .invalid(key: "end") }
    return limit
  }

  func parsed<Value>(_ key: String, _ parse: (String) -> Value?) throws(JSONError) -> Value {
    guard let value = parse(try value(key)) else { throw .invalid(key: key) }
    return value
  }
}
