internal import Audio
internal import JSON
internal import Linux
package import Permission

/// The command `permission log`, which lists requests, decisions and uses of the services.
enum PermissionLogCommand: RunnableCommand {
  static var words: [String] { ["permission", "log"] }

  static let since = Option<PastMoment>("since", summary: "Only events since WHEN")

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Show the history of requests, decisions and uses",
      details: [
        "Lists the last events, oldest first, up to about 5 MiB. Like the permission itself, the "
          + "log is advisory: another program of the same user can change the file."
      ],
      options: [OptionGroup("Options", [since, MicrophoneAccess.program])],
      examples: [
        Example("recorder permission log", "Show every stored event"),
        Example("recorder permission log --since 7d", "Show the last week"),
        Example("recorder permission log --since today", "Show today's events"),
        Example("recorder permission log --program firefox", "Show the events of one program"),
        Example("recorder permission log --json", "Show it as JSON"),
      ],
      ends: [.notFound, .permissionUnusable])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let authority = try MicrophoneAccess.authority()
    let start = try PastMoment.sinceEpoch(arguments[since], of: "--since")
      .map(WallTime.init(sinceEpoch:))
    let client = try MicrophoneAccess.client(in: arguments, by: authority, console)
    let log = try MicrophoneAccess.explaining(
      authority.store.audit.log(since: start, of: client == .everyone ? nil : client),
      of: "read the permission log")
    if log.damaged > 0 {
      console.warn("\(log.damaged) damaged lines of the permission log were skipped")
    }
    return PermissionLogReport(
      log: log, since: start, width: Terminal.size(of: StandardStream.output.rawValue)?.columns)
  }
}

/// The report of the audit's events.
struct PermissionLogReport: Report {
  let log: AuditLog
  /// The earliest time of listed events, or nil for all events.
  let since: WallTime?
  /// The width of the terminal, or nil if lines are not wrapped.
  var width: Int?

  func text(_ style: Style) -> String {
    let lines = log.entries.map { entry in
      guard let width else { return entry.text + "\n" }
      let room = max(20, width - 2)
      let parts = entry.facts.flatMap { columns(of: $0) > room ? wrapped($0, width: room) : [$0] }
      return joined(parts, by: "  ", width: room).joined(separator: "\n  ") + "\n"
    }
    guard lines.isEmpty else { return lines.joined() }
    return since.map { "Nothing has happened since \(localTime(of: $0.sinceEpoch)).\n" }
      ?? "Nothing has happened yet.\n"
  }

  var json: JSONObject {
    ["events": log.entries.map(\.json).json, "damaged": log.damaged.json]
  }
}

extension AuditLog.Entry {
  /// The event on one line, escaped for a terminal.
  package var text: String { facts.joined(separator: "  ") }

  /// The time, the event, the change and each detail as text, escaped for a terminal.
  fileprivate var facts: [String] {
    let change = [json["from"], json["to"]].compactMap { $0.map(Self.status) }
      .joined(separator: " → ")
    let details = [
      "count", "reason", "service", "client", "device", "output", "duration", "frames", "exit",
      "tty", "pid",
    ]
    .compactMap { key in
      Self.words(json[key] ?? .null, of: key).map { "\(key) \($0)" }
    }
    let moment = time.local("%Y-%m-%d %H:%M:%S") ?? time.rfc3339
    let words = [moment, Self.plain(json["event"] ?? .null), change]
    return (words + details).filter { !$0.isEmpty }.map(printable)
  }

  /// Returns the words for a detail, or nil if the detail is missing or adds nothing.
  private static func words(_ value: JSONValue, of key: String) -> String? {
    switch key {
    case _ where value == .null: nil
    case "duration": length(value)
    case "service": value.string.flatMap(Service.init(rawValue:))?.word ?? plain(value)
    case "reason": value.string.flatMap(Reason.init(rawValue:))?.words ?? plain(value)
    case "client" where value.string == Client.everyone.name: nil
    case "client":
      reason(plain(value)).map { "unknown (\($0))" } ?? plain(value)
    // The process of an unknown program may be unknown, too.
    case "pid" where value.integer == 0: nil
    default: plain(value)
    }
  }

  /// Returns the reason why a client is unknown, or nil for any other client.
  private static func reason(_ client: String) -> ProgramIdentity.Reason? {
    guard client.begins(with: Client.unknown) else { return nil }
    return ProgramIdentity.Reason(
      rawValue: client.trimmingBytes(first: Client.unknown.utf8.count))
  }

  private static func status(_ value: JSONValue) -> String {
    AuthorizationStatus.allCases.first { $0.word == value.string }?.words ?? plain(value)
  }

  private static func plain(_ value: JSONValue) -> String { value.string ?? value.encoded() }

  private static func length(_ value: JSONValue) -> String {
    Duration(json: value).map(clock) ?? plain(value)
  }
}

extension AuthorizationStatus {
  /// The status in words, without its reason.
  var words: String {
    switch self {
    case .notDetermined: "not decided yet"
    case .restricted: "forbidden by a policy"
    case .denied: "refused"
    case .authorized: "allowed"
    }
  }
}

extension Reason {
  /// The reason as a noun phrase.
  fileprivate var words: String {
    switch self {
    case .storeUnusable: "untrusted decision"
    case .policyUnusable: "untrusted policy"
    default: rawValue
    }
  }
}
