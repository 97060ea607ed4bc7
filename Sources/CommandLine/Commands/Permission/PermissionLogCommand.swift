internal import JSON
internal import Linux
internal import Permission

/// The command `permission log`, which lists requests, decisions and uses of the microphone.
enum PermissionLogCommand: Carrier {
  static var words: [String] { ["permission", "log"] }

  static let since = Option<Duration>("since", summary: "Only events from the last TIME")

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Show who asked for the microphone and what was decided",
      details: [
        "The last events, oldest first, up to some 5 MiB of them. Like the permission itself it is "
          + "advisory: another program of the same user can change the file."
      ],
      options: [OptionGroup("Options", [since])],
      examples: [
        Example("recorder permission log", "Everything that is kept"),
        Example("recorder permission log --since 7d", "The last week"),
        Example("recorder permission log --json", "The same for a program"),
      ],
      ends: [.permissionUnusable])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let authority = try PermissionDesk.authority()
    let start = arguments[since].map { WallTime(seconds: 0) + (authority.now.wall.sinceEpoch - $0) }
    do throws(StoreFailure) {
      let log = try authority.store.audit.log(since: start)
      if log.damaged > 0 {
        console.warn(Message("\(log.damaged) damaged lines of the audit were left out"))
      }
      return PermissionLogReport(log: log, since: arguments[since])
    } catch {
      throw PermissionDesk.failure(error)
    }
  }
}

/// The report of the audit's events.
struct PermissionLogReport: Report {
  let log: AuditLog
  /// The time span before now that was asked for; nil for all events.
  let since: Duration?

  func text(_ style: Style) -> String {
    let lines = log.entries.map { entry in
      entry.text { time in time.local("%Y-%m-%d %H:%M:%S") ?? time.rfc3339 } + "\n"
    }
    guard lines.isEmpty else { return lines.joined() }
    return since.map { "Nothing happened in the last \(roughly($0)).\n" }
      ?? "Nothing has happened yet.\n"
  }

  var json: JSONObject {
    ["events": log.entries.map(\.json).json, "damaged": log.damaged.json]
  }
}
