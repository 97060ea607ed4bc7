internal import Audio
internal import Control
internal import Devices
internal import JSON
internal import Linux
internal import Permission
internal import Store
internal import Takes

/// The proof that this run of the command may record.
package enum Permit: Hashable, Sendable {
  /// The store or a policy gives the permission.
  case stored
  /// The user allowed the recording, but the answer could not be stored, so it applies only to this
  /// run.
  case thisRunOnly
}

/// The functions of the commands that ask for access to the microphone and to system audio, change
/// the access, and report the result.
package enum MicrophoneAccess {
  static let service = Operand<Service>(.optional, summary: "Service to record")

  static let client = Option<Client>(
    "as", summary: "Apply to the program that uses this name, not to everyone")

  /// Returns the options that select a client, and the other options of a command.
  static func clientOptions(and others: [any TableOption] = []) -> OptionGroup {
    OptionGroup("Options", [client, program, allPrograms] + others)
  }

  /// The sentence of the help about the limits of the permission.
  static let honesty =
    "The permission is advisory: recorder does not record without it, but another program of the "
    + "same user can open the microphone by itself."

  /// The sentence of the help about the services.
  static let services =
    "The services are microphone and system-audio. The devices \"output\" and \"app:NAME\" record "
    + "system audio, the sound that this computer plays. Each service has its own decision."

  /// Carries out a command and returns its report. A result other than success goes to stderr,
  /// except for the command `status`.
  ///
  /// Without a service, `revoke` and `reset` apply to all services, and any other command to the
  /// microphone.
  static func perform(
    _ command: PermissionCommand, _ arguments: Arguments, _ console: Console,
    killing: Bool = false
  ) throws -> PermissionReport {
    let stored = try authority()
    let client = try client(in: arguments, by: stored, console)
    let authority = authority(stored, about: [client], console)
    // RECORDER_PERMISSION and RECORDER_NO_PROMPT restrict only recorder, not other programs.
    var query = client.kind == .caller ? try query(client) : AccessQuery(client: client)
    let usual: Set<Service> = command.takesBack ? Set(Service.allCases) : [.microphone]
    query.services = arguments[service].first.map { [$0] } ?? usual
    // The sessions are listed before the change, because they can end immediately after it.
    let live = command.takesBack && client.kind == .caller ? LiveSessions() : nil
    let outcome = try outcome(of: command, query, by: authority)
    let ended =
      outcome.mayEndSessions
      ? live?.ended(in: Scope(query.services, client), killing: killing)
      : ending(after: outcome, by: authority)
    var report = report(of: outcome, console, ended, about: arguments[service].first)
    if command == .revoke, client == .allPrograms {
      report.otherLines = remaining(authority.situation(AccessQuery(query.services)))
    }
    guard command == .status else { return reported(report, console) }
    report.otherLines = report.services.filter { decision in
      !query.services.contains(decision.service)
        && (decision.service == .microphone || outcome.after.knows(decision))
    }.map(phrasing.state)
    if client == .everyone {
      report.clients = clients(outcome.after)
      report.otherLines += report.clients.map(phrasing.state)
    }
    return report
  }

  /// Returns the decisions about all clients with a record in the ledger, except `.everyone`.
  private static func clients(_ situation: Situation) -> [Decision] {
    let named = situation.records.ledger?.records.keys.filter { $0.client != .everyone } ?? []
    return named.sorted { ($0.client.name, $0.service.word) < ($1.client.name, $1.service.word) }
      .map { subject in
        var situation = situation.about([subject.service])
        situation.client = subject.client
        return situation.decide()
      }
  }

  /// Returns the query for a client, with the restrictions of the options and of the environment.
  /// Throws if RECORDER_PERMISSION has an invalid value.
  static func query(
    _ client: Client?, deny: Bool = false, noPrompt: Bool = false
  ) throws -> AccessQuery {
    let restrictions = try CallRestrictions(
      deny: deny, noPromptOption: noPrompt,
      permission: Environment.value(of: "RECORDER_PERMISSION"),
      noPrompt: Environment.value(of: "RECORDER_NO_PROMPT"))
    return AccessQuery(client: client ?? .everyone, restrictions: restrictions)
  }

  /// Returns the report of a command that was carried out, and writes its warnings to stderr.
  ///
  /// - Parameters:
  ///   - ended: the sessions that the command ended, and those that still record.
  ///   - service: the only service whose uses are reported, or nil for all.
  private static func report(
    of outcome: PermissionOutcome, _ console: Console, _ ended: LiveSessions.Outcome? = nil,
    about service: Service? = nil
  ) -> PermissionReport {
    let summary = phrasing.summary(outcome, stopped: ended?.stopped ?? StoppedSessions())
    for warning in summary.warnings { console.warn(warning) }
    let inUse = ended?.inUse ?? (outcome.after.client.kind == .caller ? listeners : [])
    return PermissionReport(
      summary: summary, services: outcome.after.about(Set(Service.allCases)).decisions,
      inUse: inUse.compactMap { $0.using(service) },
      isQuiet: console.isQuiet)
  }

  /// The recordings, meters and readers that run now, read from their records. A session that hangs
  /// is listed too.
  static var listeners: [Listener] {
    (try? SessionPaths.current()).map { MachineStore($0).sessions.listeners } ?? []
  }

  /// Returns the report. Writes a refusal to stderr, and marks the report as printed.
  private static func reported(_ report: PermissionReport, _ console: Console) -> PermissionReport {
    guard report.summary.exit != .done else { return report }
    console.complain(message(report.summary))
    var report = report
    report.isTold = true
    return report
  }

  /// Returns the permission of this user on this machine.
  static func authority() throws -> Authority {
    try StoreFailure.translating { try Authority.current() }
  }

  /// Reads the settings of a command that captures.
  ///
  /// The permission files are in the same home directory as the settings. If that directory cannot
  /// be trusted, the error about the permission is thrown, because it is more serious.
  static func settings() throws -> Configuration {
    let settings = Result { try Configuration.current() }
    if case .failure = settings { _ = try authority() }
    return try settings.get()
  }

  /// Returns the failure of an action. By default, the action is to store a decision.
  ///
  /// - Parameter decision: the decision that still applies.
  static func failure(
    _ failure: StoreFailure, of action: String = "store the decision",
    still decision: Decision? = nil
  ) -> Failure {
    var advice =
      decision.map { ["nothing was changed; access is \(phrasing.words($0))"] } ?? []
    switch failure {
    case .unusable: return Failure(failure)
    case .full(let path, _):
      let unneeded =
        Client.Kind(ofFile: path) == .caller
        ? "--as NAME, for an unneeded name" : "--program NAME, for an unneeded program"
      advice.append("to make room: recorder permission reset \(unneeded)")
    case .system(let error):
      if let remedy = error.errno.remedyForState { advice.append(Message.repair(remedy)) }
    case .locked, .interference: break
    }
    return Failure(.failed, "cannot \(action): \(failure)", advice: advice)
  }

  /// The wording of decisions, with times in local time.
  package static let phrasing = PermissionPhrasing { time in
    time.local("%Y-%m-%d %H:%M:%S") ?? time.rfc3339
  }

  /// Returns the summary as a message. The first line begins in lower case and has no full stop.
  static func message(_ summary: PermissionSummary) -> Message {
    let first = summary.lines.first ?? ""
    let fact = first.prefix(1).lowercased() + first.dropFirst()
    return Message(
      fact.ends(with: ".") ? String(fact.dropLast()) : fact,
      advice: Array(summary.lines.dropFirst()))
  }
}

extension MicrophoneAccess {
  /// Returns the permit for a recording. Asks for access if nothing was decided. Throws the reason
  /// if the recording may not start. The session checks the permission again.
  ///
  /// - Parameter mustBeStored: true if the access is for a session that already runs. Such a
  ///   session accepts only stored decisions.
  static func permit(
    _ plan: RecordingPlan, deny: Bool, noPrompt: Bool, mustBeStored: Bool = false,
    _ console: Console
  ) throws -> Permit {
    var query = try query(
      plan.client.flatMap(Client.init(_:)), deny: deny, noPrompt: noPrompt)
    query.services = plan.capture.services
    query.session = SessionID(plan.identifier)
    query.deviceName = plan.capture.tracks.devices
    let authority = try authority()
    // If the device is a plugin, its card is known only when the device is open. The session checks
    // the access to that card.
    let device = RequestedDevice(of: plan.capture, for: authority.directories.load())
    if device != .unresolved { query.device = device }
    query.output = plan.output.path
    return try permit(query, by: authority, mustBeStored: mustBeStored, console)
  }

  /// Asks for access if nothing was decided. Throws if this run has no permission afterwards.
  private static func permit(
    _ query: AccessQuery, by authority: Authority, mustBeStored: Bool, _ console: Console
  ) throws -> Permit {
    let reply = PermissionPrompt(authority: authority, query: query, console: console).request()
    let outcome: PermissionOutcome
    switch reply.result {
    case .success(let value): outcome = value
    case .failure(let cause):
      guard cause.isOnlyUnsaved, reply.answer != .never else { throw refusal(cause, console) }
      if mustBeStored {
        throw failure(cause, of: "store the decision, which a running recording needs")
      }
      console.warn("the decision could not be stored and applies only to this run: \(cause)")
      return .thisRunOnly
    }
    let report = report(of: outcome, console)
    guard report.summary.exit == .done else {
      let message = message(report.summary)
      throw Failure(
        report.exitCode, message.fact,
        advice: message.advice + syntheticAdvice(query, report.exitCode, outcome.command))
    }
    return .stored
  }

  /// Returns the advice for an unattended test with a built-in device. Such a device captures no
  /// sound, but needs the permission like any other.
  private static func syntheticAdvice(
    _ query: AccessQuery, _ code: ExitCode, _ command: PermissionCommand
  ) -> [String] {
    // A policy rule or a grant for everyone helps only if no decision exists. If a user answered
    // "not now", this is not an unattended test.
    guard code == .permissionNotDetermined, command != .request(.notNow),
      query.client == .everyone, query.deviceName.map(DeviceName.isBuiltIn) == true
    else { return [] }
    return [
      "In CI, add a policy rule for \"test:*\": it allows only the built-in devices.",
      "To allow all devices for an hour: recorder permission grant --for 1h",
    ]
  }

  /// Asks if nothing was decided, and returns the report.
  static func request(_ query: AccessQuery, _ console: Console) throws -> any Report {
    let prompt = PermissionPrompt(authority: try authority(), query: query, console: console)
    let reply = prompt.request()
    switch reply.result {
    case .success(let outcome): return reported(report(of: outcome, console), console)
    case .failure(let cause):
      // No recording starts here, so a "yes" that cannot be stored is a failure.
      throw reply.answer == .never ? refusal(cause, console) : failure(cause)
    }
  }

  /// Returns the failure for an answer that was not stored. A "no" still applies to this run,
  /// unless the store cannot be trusted.
  private static func refusal(_ cause: StoreFailure, _ console: Console) -> Failure {
    guard cause.isOnlyUnsaved else { return failure(cause) }
    console.warn("the decision could not be stored: \(cause)")
    return Failure(.permissionDenied, "refused for this run")
  }
}

extension Situation {
  /// Returns whether a policy or a stored decision has decided about the service. For recorder
  /// itself, also returns true if the ledger has any decision about the service.
  func knows(_ decision: Decision) -> Bool {
    switch decision.source {
    case .policy, .record, .marker, .portal: true
    case .nothing, .callRestriction, .policyFault, .storeFault, .portalFault:
      client.kind == .caller
        && records.ledger?.records.keys.contains { $0.service == decision.service } ?? false
    }
  }
}
