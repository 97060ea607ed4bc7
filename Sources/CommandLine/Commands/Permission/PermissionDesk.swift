internal import JSON
internal import Linux
internal import Permission

/// What the permission commands share: the client that is meant, the authority, and how a failure is told.
enum PermissionDesk {
  static let client = Option<Client>(
    "as", summary: "Decide for a program that calls itself by this name, not for everyone")

  static let clientOptions = OptionGroup("Options", [client])

  /// What holds on every page of these commands.
  static let honesty =
    "The permission is advisory: recorder refuses to listen without it, but another program of the "
    + "same user can open the microphone by itself."

  /// Does what is commanded; anything but success goes to stderr, except the status itself.
  static func perform(
    _ command: PermissionCommand, _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> PermissionAnswer {
    let authority = try authority()
    let inquiry = try inquiry(arguments[client])
    let answer = answer(to: try performed(command, inquiry, by: authority), console)
    return command == .status ? answer : told(answer, console)
  }

  /// What is asked, and what this call and the environment forbid.
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

  /// What came of it, and the warnings told.
  static func answer(to performed: Performed, _ console: Console) -> PermissionAnswer {
    let report = phrasing.report(performed)
    for warning in report.warnings { console.warn(Message(warning)) }
    return PermissionAnswer(report: report, inUse: MicrophoneUse.now())
  }

  /// The answer, with a refusal told on stderr.
  static func told(_ answer: PermissionAnswer, _ console: Console) -> PermissionAnswer {
    guard answer.report.exit != .done else { return answer }
    console.complain(message(answer.report))
    var answer = answer
    answer.isTold = true
    return answer
  }

  /// This user's permission on this machine.
  static func authority() throws(Failure) -> Authority {
    do throws(DirectoryRefusal) {
      return try Authority.current()
    } catch {
      throw unusable(.place(error))
    }
  }

  static func failure(_ failure: StoreFailure, still decision: Decision? = nil) -> Failure {
    if case .unusable(let fault) = failure { return unusable(fault) }
    let state = decision.map { "nothing was changed, it is still: \(phrasing.state($0))" }
    return Failure(.failed, Message("cannot store the decision: \(failure)", advice: state))
  }

  static let phrasing = Phrasing { time in time.local("%Y-%m-%d %H:%M:%S") ?? time.rfc3339 }

  private static func performed(
    _ command: PermissionCommand, _ inquiry: Inquiry, by authority: Authority
  ) throws(Failure) -> Performed {
    do throws(StoreFailure) {
      return try authority.perform(command, inquiry)
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

  /// The news as a message begins: in small letters, without a full stop.
  static func message(_ report: PermissionReport) -> Message {
    let news = report.lines.first ?? ""
    let fact = news.prefix(1).lowercased() + news.dropFirst()
    return Message(
      fact.hasSuffix(".") ? String(fact.dropLast()) : fact,
      advice: Array(report.lines.dropFirst()))
  }
}
