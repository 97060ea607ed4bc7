import Linux

@testable import Permission

/// Unwraps a value that a test states and that must exist.
func known<Value>(_ value: Value?) -> Value {
  guard let value else { preconditionFailure("the test states a value that is none") }
  return value
}

extension ClockReading {
  /// A morning, an hour after the machine was started.
  static let morning = ClockReading(
    boottime: .seconds(3_600), wall: WallTime(seconds: 1_772_355_600), boot: "boot-a")

  /// Returns the clock after `duration`, in the same boot.
  func later(_ duration: Duration) -> ClockReading {
    ClockReading(boottime: boottime + duration, wall: wall + duration, boot: boot)
  }

  /// Returns the same moment with the calendar changed by hand.
  func calendarMoved(by duration: Duration) -> ClockReading {
    ClockReading(boottime: boottime, wall: wall + duration, boot: boot)
  }

  /// Returns the clock after `duration` and a restart. The machine has then run for `uptime`.
  func restarted(after duration: Duration, uptime: Duration = .seconds(60)) -> ClockReading {
    ClockReading(boottime: uptime, wall: wall + duration, boot: "boot-b")
  }
}

extension Account {
  static let alice = Account(
    id: 1_000, name: "alice",
    groups: [Group(id: 1_000, name: "alice"), Group(id: 29, name: "audio")])
  static let nameless = Account(id: 1_234, name: nil, groups: [Group(id: 1_234, name: nil)])
}

extension StoreOwner {
  static let here = StoreOwner(user: 1_000, machine: "here")
  static let elsewhere = StoreOwner(user: 1_000, machine: "elsewhere")
}

extension Client {
  static let dictation = known(Client("dictation"))
}

extension Subject {
  /// The microphone, for everyone and for one program. `other` is the same for system audio.
  static let everyone = Subject(.microphone, .everyone)
  static let dictation = Subject(.microphone, .dictation)

  var other: Subject { Subject(.systemAudio, client) }
}

extension Scope {
  static let everyone = Scope([.microphone], .everyone)
  static let dictation = Scope([.microphone], .dictation)
}

extension Record {
  static let denial = Record(.denied, at: ClockReading.morning.wall, by: .command)
  static let refusedAtPrompt = Record(.denied, at: ClockReading.morning.wall, by: .prompt)
  static let forever = Record(.forever, at: ClockReading.morning.wall, by: .command)
  static let always = Record(.forever, at: ClockReading.morning.wall, by: .prompt)
  static let once = Record(
    .once(known(GrantLimit(Record.onceWaits, from: .morning))), at: ClockReading.morning.wall,
    by: .command)
  static let anHour = Record(
    .timed(known(GrantLimit(.seconds(3_600), from: .morning))), at: ClockReading.morning.wall,
    by: .command)
}

extension UserRecords {
  static func of(
    _ records: Records, _ owner: StoreOwner = .here, generation: UInt64 = 1,
    sessionGrants: [SessionID: SessionGrant] = [:]
  ) -> UserRecords {
    .ledger(
      Ledger(generation: generation, owner: owner, records: records, sessionGrants: sessionGrants))
  }

  /// Returns records with a session grant for one session. Apart from `records`, nothing else is
  /// decided.
  static func passing(_ records: Records = [:], _ owner: StoreOwner = .here)
    -> UserRecords
  {
    let grant = SessionGrant(.everyone, at: ClockReading.morning.wall, by: .prompt, boot: "boot-a")
    return of(records, owner, sessionGrants: [known(SessionID("take-1")): grant])
  }

  static let broken = UserRecords.unusable(.file("/s/permissions.json", .checksum))
}

extension Policies {
  static func of(_ rules: Rule..., allowsPrompt: Bool = true) -> Policies {
    .usable([Policy(file: "/p/10-site.json", rules: rules, allowsPrompt: allowsPrompt)])
  }

  static let restrictsAll = of(Rule(status: .restricted, reason: "an exam", contact: "room 12"))
  static let authorizesAll = of(Rule(status: .authorized))
  static let restrictsSystemAudio = of(Rule(service: .systemAudio, status: .restricted))
  static let authorizesSystemAudio = of(Rule(service: .systemAudio, status: .authorized))
  static let broken = Policies.unusable(.file("/p/10-site.json", .writableByOthers(0o666)))
}

extension Situation {
  /// Returns the situation of Alice on her machine. By default nothing is decided.
  static func alice(
    _ records: UserRecords = .absent, policies: Policies = .none,
    restrictions: CallRestrictions = CallRestrictions(),
    clock: ClockReading = .morning, about services: Set<Service> = [.microphone],
    client: Client = .everyone,
    device: RequestedDevice = .unspecified,
    session: String? = nil
  ) -> Situation {
    Situation(
      policies: policies, restrictions: restrictions, records: records, clock: clock,
      account: .alice,
      owner: .here, services: services, client: client, device: device,
      session: session.flatMap { SessionID($0) })
  }
}

extension PermissionOutcome {
  /// Creates the expected outcome of a command, if everything can be written. Nothing is stored.
  init(onPaper command: PermissionCommand, in situation: Situation) {
    self.init(
      command: command, transition: situation.transition(of: command), before: situation,
      after: situation.after(command))
  }
}
