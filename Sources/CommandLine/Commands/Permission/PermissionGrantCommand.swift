internal import Linux
internal import Permission

/// The command `permission grant`, which allows the microphone.
enum PermissionGrantCommand: Carrier {
  static var words: [String] { ["permission", "grant"] }

  static let once = Flag(
    "once", summary: "Only for one recording, which must start within 10 minutes")
  static let length = Option<GrantLength>("for", summary: "Only for so long")
  static let end = Option<LocalMoment>("until", summary: "Only until then, in local time")

  static var command: Command {
    Command(
      words, section: .permission, summary: "Allow recorder to use the microphone",
      details: [
        "A limited grant ends by the time that really passes: setting the clock back gives nothing, "
          + "and sleep counts. When it ends, a recording that is running stops and keeps its audio.",
        "What an administrator forbids cannot be allowed here.",
      ],
      options: [OptionGroup("Options", [once, length, end, PermissionDesk.client])],
      examples: [
        Example("recorder permission grant", "Allow it until it is revoked"),
        Example("recorder permission grant --once", "Allow one recording"),
        Example("recorder permission grant --for 1h30m", "Allow it for an hour and a half"),
        Example("recorder permission grant --until 18:00", "Allow it until six"),
      ],
      ends: [.permissionDenied, .permissionRestricted, .permissionUnusable])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try PermissionDesk.perform(.grant(term(arguments)), arguments, console)
  }

  /// The term of the grant; throws for more than one limit.
  static func term(
    _ arguments: Arguments, now: WallTime = .now
  ) throws(Failure) -> Term {
    let lasting = arguments[length].map { Term.lasting($0.duration) }
    let until = try arguments[end].map { moment throws(Failure) in try term(moment, now) }
    let terms = [arguments[once] ? .once : nil, lasting, until].compactMap(\.self)
    guard terms.count <= 1 else {
      throw Failure(.usage, Message("give only one of --once, --for and --until"))
    }
    return terms.first ?? .forever
  }

  private static func term(_ moment: LocalMoment, _ now: WallTime) throws(Failure) -> Term {
    guard let time = moment.next(after: now) else {
      throw Failure(.usage, Message("there is no such time as \(quoted(moment.text)) here"))
    }
    guard Term.range.contains(time - now) else {
      throw Failure(
        .usage,
        Message("\(quoted(moment.text)) does not fit --until: \(GrantLength.limits)"))
    }
    return .until(time)
  }
}
