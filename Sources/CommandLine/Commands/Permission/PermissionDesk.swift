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
    _ command: PermissionCommand, _ arguments: Arguments, _ console: Console,
    forbidsPrompt: Bool = false
  ) throws(Failure) -> any Report {
    let authority = try authority()
    let inquiry = try inquiry(arguments, forbidsPrompt: forbidsPrompt)
    let report = phrasing.report(try performed(command, inquiry, by: authority))
    for warning in report.warnings { console.warn(Message(warning)) }
    guard command == .status || report.exit == .done else {
      console.complain(message(report))
      return PermissionAnswer(report: report, isTold: true)
    }
    return PermissionAnswer(report: report, isTold: false)
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

  private static func inquiry(
    _ arguments: Arguments, forbidsPrompt: Bool
  ) throws(Failure) -> Inquiry {
    do throws(Wishes.UsageError) {
      let wishes = try Wishes(
        deny: false, noPromptOption: forbidsPrompt,
        permission: Environment.value(of: "RECORDER_PERMISSION"),
        noPrompt: Environment.value(of: "RECORDER_NO_PROMPT"))
      return Inquiry(client: arguments[client] ?? .everyone, wishes: wishes)
    } catch {
      throw Failure(.usage, Message(error.description, advice: "unset it, or set it to deny"))
    }
  }

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
    let details = report.lines.dropFirst().joined(separator: " ")
    return Message(
      fact.hasSuffix(".") ? String(fact.dropLast()) : fact, advice: details.isEmpty ? nil : details)
  }
}

/// What a permission command answers.
struct PermissionAnswer: Report {
  let report: PermissionReport
  /// Whether a person was told already, on stderr.
  let isTold: Bool
  /// What else may be done.
  var verbs: [Command] = []

  var exitCode: ExitCode { ExitCode(rawValue: report.exit.rawValue) ?? .failed }

  func text(_ style: Style) -> String {
    guard !isTold else { return "" }
    let rows = definitions(verbs.map { ("recorder \($0.name)", $0.summary) }, widest: 36)
    return report.lines.map { $0 + "\n" }.joined() + (rows.isEmpty ? "" : "\n" + rows)
  }

  var json: JSONObject {
    var object = report.decision.json
    object.set("message", report.lines)
    return object
  }
}
