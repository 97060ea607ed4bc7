internal import JSON
internal import Linux
package import Permission

/// The parts that the permission commands share: the client's option, the authority and the
/// failures.
package enum PermissionDesk {
  static let client = Option<Client>(
    "as", summary: "Decide for a program that calls itself by this name, not for everyone")

  static let clientOptions = OptionGroup("Options", [client])

  /// The sentence about the limits of the permission, on every page of these commands.
  static let honesty =
    "The permission is advisory: recorder refuses to listen without it, but another program of the "
    + "same user can open the microphone by itself."

  /// Carries out a command; any result but success goes to stderr, except for the status itself.
  static func perform(
    _ command: PermissionCommand, _ arguments: Arguments, _ console: Console,
    killing: Bool = false
  ) throws(Failure) -> PermissionAnswer {
    let authority = try authority()
    let inquiry = try inquiry(arguments[client])
    let (performed, inUse) = try performed(command, inquiry, by: authority, killing)
    var answer = answer(to: performed, console, inUse: inUse)
    if command == .status, inquiry.client == .everyone {
      answer.clients = clients(performed.after, inquiry, by: authority)
      answer.clientLines = answer.clients.map(phrasing.state)
    }
    return command == .status ? answer : told(answer, console)
  }

  private static func clients(
    _ situation: Situation, _ inquiry: Inquiry, by authority: Authority
  ) -> [Decision] {
    let named = situation.records.ledger?.records.keys.filter { $0 != .everyone } ?? []
    return named.sorted { $0.name < $1.name }.map { client in
      var inquiry = inquiry
      inquiry.client = client
      return authority.decide(inquiry)
    }
  }

  /// The question to the authority, with the refusals of this call and of the environment.
  static func inquiry(
    _ client: Client?, deny: Bool = false, noPrompt: Bool = false
  ) throws(Failure) -> Inquiry {
    do throws(Wishes.UsageError) {
      let wishes = try Wishes(
        deny: deny, noPromptOption: noPrompt,
        permission: Environment.value(of: "RECORDER_PERMISSION"),
        noPrompt: Environment.value(of: "RECORDER_NO_PROMPT"))
      return Inquiry(client: client ?? .everyone, wishes: wishes)
    } catch {
      throw Failure(.usage, Message(error.description, advice: "unset it, or set it to deny"))
    }
  }

  /// The answer for a command that was carried out; writes its warnings to stderr.
  ///
  /// - Parameter inUse: the uses of the microphone, if they are known already.
  static func answer(
    to performed: Performed, _ console: Console, inUse: [MicrophoneUse]? = nil
  ) -> PermissionAnswer {
    let report = phrasing.report(performed)
    for warning in report.warnings { console.warn(Message(warning)) }
    return PermissionAnswer(
      report: report, inUse: inUse ?? MicrophoneUse.now(), isQuiet: console.isQuiet)
  }

  /// The answer; a refusal is written to stderr and marked as told.
  static func told(_ answer: PermissionAnswer, _ console: Console) -> PermissionAnswer {
    guard answer.report.exit != .done else { return answer }
    console.complain(message(answer.report))
    var answer = answer
    answer.isTold = true
    return answer
  }

  /// The permission of this user on this machine.
  static func authority() throws(Failure) -> Authority {
    do throws(DirectoryRefusal) {
      return try Authority.current()
    } catch {
      throw unusable(.place(error))
    }
  }

  static func failure(_ failure: StoreFailure, still decision: Decision? = nil) -> Failure {
    if case .unusable(let fault) = failure { return unusable(fault) }
    var advice = decision.map { ["nothing was changed, it is still: \(phrasing.state($0))"] } ?? []
    if case .full = failure {
      advice.append("to make room: recorder permission reset --as NAME, for a name not needed")
    }
    return Failure(.failed, Message("cannot store the decision: \(failure)", advice: advice))
  }

  /// The phrasing of decisions, with moments in local time.
  package static let phrasing = Phrasing { time in time.local("%Y-%m-%d %H:%M:%S") ?? time.rfc3339 }

  private static func performed(
    _ command: PermissionCommand, _ inquiry: Inquiry, by authority: Authority, _ killing: Bool
  ) throws(Failure) -> (Performed, inUse: [MicrophoneUse]?) {
    guard command.takesBack else {
      return (try performed(command, inquiry, by: authority) { _ in StoppedSessions() }, nil)
    }
    let live = LiveSessions()
    var inUse: [MicrophoneUse]?
    let performed = try performed(command, inquiry, by: authority) { client in
      let outcome = live.ended(of: client, killing: killing)
      inUse = outcome.inUse
      return outcome.stopped
    }
    return (performed, inUse)
  }

  private static func performed(
    _ command: PermissionCommand, _ inquiry: Inquiry, by authority: Authority,
    _ stop: (Client) -> StoppedSessions
  ) throws(Failure) -> Performed {
    do throws(StoreFailure) {
      return try authority.perform(command, inquiry, stop: stop)
    } catch {
      throw failure(error, still: authority.decide(inquiry))
    }
  }

  private static func unusable(_ fault: StoreFault) -> Failure {
    Failure(
      .permissionUnusable,
      Message(
        "what was decided earlier cannot be trusted: \(fault)",
        advice: "to repair that, \(fault.remedy)"))
  }

  /// The first line of the report as a message: in lower case, without a full stop.
  static func message(_ report: PermissionReport) -> Message {
    let news = report.lines.first ?? ""
    let fact = news.prefix(1).lowercased() + news.dropFirst()
    return Message(
      fact.hasSuffix(".") ? String(fact.dropLast()) : fact,
      advice: Array(report.lines.dropFirst()))
  }
}
