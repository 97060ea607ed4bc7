internal import JSON
internal import Linux
internal import Permission

/// The command `permission policy check`, which checks the administrator's files.
enum PolicyCheckCommand: RunnableCommand {
  static var words: [String] { ["permission", "policy", "check"] }

  static let file = Operand<FilePath>(
    .optional, summary: "Policy file to check before it is installed")

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Check the administrator's policy files",
      details: [
        "Without a file, every installed policy is checked: each .json in /etc/recorder/policy.d "
          + "and /usr/lib/recorder/policy.d, with its owner and mode. One fault there denies "
          + "microphone access to everyone, so check a file before you install it.",
        "A given file may be in any directory and belong to any user. An unknown user or group is "
          + "reported, but is not a fault.",
        "A rule with \"match\": { \"devices\": [\"test:*\"] } and \"status\": \"authorized\" lets "
          + "unattended tests record from the built-in devices, but from no others.",
      ],
      operands: [file],
      examples: [
        Example("recorder permission policy check", "Check the installed policies"),
        Example(
          "recorder permission policy check 10-exam.json", "Check a file before you install it"),
      ],
      ends: [.notFound, .permissionUnusable])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let drafts = arguments[file].map { PolicyDirectories.check(file: $0.text) }
    if case .file(let path, .unreadable(let error))? = drafts.first?.fault,
      error.errno == .noSuchFile
    {
      throw Failure(.notFound, "cannot read", on: path, why: "\(error.errno)")
    }
    let checked = drafts.isEmpty ? PolicyDirectories.system.check() : drafts
    return PolicyCheckReport(checked: checked.map { ($0, UnknownNames(in: $0)) })
  }
}

/// The users and groups that a policy names but this machine does not have. Such names are probably
/// misspelled.
struct UnknownNames {
  let users: [String]
  let groups: [String]

  init(in checked: CheckedPolicy) {
    let rules = (try? checked.result.get())?.rules ?? []
    // A number is always accepted. A name is accepted if the user database cannot be read.
    users = rules.flatMap(\.users).filter {
      UInt32($0) == nil && (try? UserAccount(named: $0) == nil) == true
    }
    groups = rules.flatMap(\.groups).filter {
      UInt32($0) == nil && (try? UserGroup(named: $0) == nil) == true
    }
  }

  fileprivate var lines: [String] {
    users.map { "this machine has no user \(quoted($0))" }
      + groups.map { "this machine has no group \(quoted($0))" }
  }
}

/// The result of checking each file.
struct PolicyCheckReport: Report {
  let checked: [(policy: CheckedPolicy, unknown: UnknownNames)]

  var exitCode: ExitCode {
    checked.contains { $0.policy.fault != nil } ? .permissionUnusable : .done
  }

  func text(_ style: Style) -> String {
    guard !checked.isEmpty else { return "There are no policies.\n" }
    return checked.map { policy, unknown in
      let words =
        policy.fault.map {
          "\(style.bad("wrong")): \($0.words)\n  An administrator can \($0.administratorRemedy)"
        }
        ?? "\(style.good("ok")): \(printable(policy.file))"
      let hidden = policy.hidden.map { "\n  hides \(printable($0))" }.joined()
      let warnings = unknown.lines.map { "\n  \(style.warning("warning")): \($0)" }.joined()
      return words + hidden + warnings + "\n"
    }.joined()
  }

  var json: JSONObject {
    ["policies": .array(checked.map { .object($0.policy.json($0.unknown)) })]
  }
}

extension CheckedPolicy {
  fileprivate func json(_ unknown: UnknownNames) -> JSONObject {
    var object: JSONObject = ["path": file.json, "ok": .bool(fault == nil)]
    object.set("hides", hidden)
    object.set("unknownUsers", unknown.users.isEmpty ? nil : unknown.users)
    object.set("unknownGroups", unknown.groups.isEmpty ? nil : unknown.groups)
    object.set("fault", fault?.words)
    if case .file(_, .policy(let flaw)) = fault {
      object.set("line", flaw.line)
      object.set("column", flaw.column)
    }
    return object
  }
}
