internal import Audio
internal import JSON
internal import Linux
internal import Permission

/// The command `permission`, which shows the status and lists the permission commands.
enum PermissionOverview: RunnableCommand {
  static var words: [String] { ["permission"] }

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Show microphone access, and the commands for it",
      details: [MicrophoneAccess.services, MicrophoneAccess.honesty],
      options: [MicrophoneAccess.clientOptions()],
      examples: [Example("recorder permission", "Show the status and the commands")],
      ends: PermissionStatusCommand.command.ends)
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    var report = try MicrophoneAccess.perform(.status, arguments, console)
    if console.isQuiet { return report }
    report.verbs = CommandTable.standard.subcommands(of: words)
    return report
  }

  /// The permission commands.
  static let commands: [any RunnableCommand.Type] = [
    PermissionOverview.self, PermissionStatusCommand.self, PermissionRequestCommand.self,
    PermissionGrantCommand.self, PermissionRevokeCommand.self, PermissionResetCommand.self,
    PermissionListCommand.self, PermissionLogCommand.self, PolicyCheckCommand.self,
  ]
}

/// The command `permission status`, which shows the status and its cause.
enum PermissionStatusCommand: RunnableCommand {
  static var words: [String] { ["permission", "status"] }

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Show whether recorder may record, and why",
      details: [
        "The status is notDetermined, restricted, denied or authorized. Reading it never shows "
          + "a prompt, writes nothing and opens no device. The exit code gives scripts the same status.",
        "The status comes from the first of the following that exists: a policy that cannot be "
          + "trusted, a policy that restricts, RECORDER_PERMISSION=deny, a stored decision that "
          + "cannot be trusted, your own refusal, your own grant, a policy that authorizes.",
        "Without SERVICE, this is about the microphone. " + MicrophoneAccess.services,
        MicrophoneAccess.enforcement, MicrophoneAccess.honesty,
      ],
      operands: [MicrophoneAccess.service],
      options: [MicrophoneAccess.clientOptions()],
      examples: [
        Example("recorder permission status", "Show whether the microphone may be used"),
        Example("recorder permission status system-audio", "Show whether outputs may be recorded"),
        Example("recorder permission status --json", "Show it as JSON"),
        Example(
          "recorder permission status --as dictation", "Show it for the program \"dictation\""),
        Example("recorder permission status --program firefox", "Show it for another program"),
      ],
      ends: [.notFound] + ExitCode.accessRefused)
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    try MicrophoneAccess.perform(.status, arguments, console)
  }
}

/// The command `permission request`, which prompts now, so that a later `start` does not prompt.
enum PermissionRequestCommand: RunnableCommand {
  static var words: [String] { ["permission", "request"] }

  static let noPrompt = Flag("no-prompt", summary: "Do not ask; show the status only")

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Ask for access before it is needed",
      details: [
        "Asks only if nothing is decided. Without SERVICE, asks about the microphone. A decision is "
          + "valid until it is changed or expires.",
        "The question appears on the terminal, even if stdin and stdout are redirected. If there "
          + "is no terminal, if the command runs in the background, or if you do not answer within "
          + "2 minutes, the command ends with the exit code for notDetermined.",
      ],
      operands: [MicrophoneAccess.service],
      options: [OptionGroup("Options", [MicrophoneAccess.client, noPrompt])],
      examples: [Example("recorder permission request", "Ask now")],
      ends: ExitCode.accessRefused + [.interrupted])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    var query = try MicrophoneAccess.query(
      arguments[MicrophoneAccess.client], noPrompt: arguments[noPrompt])
    query.services = [arguments[MicrophoneAccess.service].first ?? .microphone]
    return try MicrophoneAccess.request(query, console)
  }
}

/// The command `permission grant`, which allows the microphone or system audio.
enum PermissionGrantCommand: RunnableCommand {
  static var words: [String] { ["permission", "grant"] }

  static let once = Flag(
    "once", summary: "Allow one recording, which must start within 10 minutes")
  static let length = Option<GrantLength>("for", summary: "Allow recording for this long")
  static let end = Option<LocalMoment>("until", summary: "Allow recording until this local time")

  static var command: Command {
    Command(
      words, section: .permission, summary: "Allow recording",
      details: [
        "Without SERVICE, this allows the microphone. " + MicrophoneAccess.services,
        "To allow a script that records under a name, as in \"recorder start --as backup\", use "
          + "--as with this name. To allow another program than recorder, use --program.",
        "The time of a limited grant continues while the machine sleeps, and setting the clock "
          + "back does not extend it. When it ends, a running recording stops and keeps its audio. A new grant replaces "
          + "an earlier one, also for running recordings.",
        "A restriction by an administrator cannot be lifted here.",
        MicrophoneAccess.enforcement
          + " If --program gets a name without a slash, it means the listed program of that name, or "
          + "else the program in PATH. Symbolic links are resolved.",
      ],
      operands: [MicrophoneAccess.service],
      options: [
        OptionGroup(
          "Options", [once, length, end, MicrophoneAccess.client, MicrophoneAccess.program])
      ],
      examples: [
        Example("recorder permission grant", "Allow microphone access until it is revoked"),
        Example(
          "recorder permission grant system-audio", "Allow recording of outputs and programs"),
        Example("recorder permission grant --once", "Allow one recording"),
        Example("recorder permission grant --for 1h30m", "Allow it for an hour and a half"),
        Example("recorder permission grant --until 18:00", "Allow it until six"),
        Example("recorder permission grant --program pw-record", "Allow another program"),
      ],
      ends: [.notFound, .permissionDenied, .permissionRestricted, .permissionUnusable])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    try MicrophoneAccess.perform(.grant(term(arguments)), arguments, console)
  }

  /// Returns the term of the grant. Throws if there is more than one limit, or if the time is
  /// invalid.
  static func term(_ arguments: Arguments, now: WallTime = .now) throws -> GrantTerm {
    let lasting = arguments[length].map { GrantTerm.lasting($0.duration) }
    let until = try arguments[end].map { moment in try term(moment, now) }
    let terms = [arguments[once] ? .once : nil, lasting, until].compactMap(\.self)
    guard terms.count <= 1 else {
      throw Failure(.usage, "give only one of --once, --for and --until")
    }
    return terms.first ?? .forever
  }

  private static func term(_ moment: LocalMoment, _ now: WallTime) throws -> GrantTerm {
    guard let time = moment.next(after: now) else {
      throw Failure(.usage, "\(quoted(moment.text)) does not exist in this time zone")
    }
    guard GrantTerm.range.contains(time - now) else {
      throw Failure(.usage, "\(quoted(moment.text)) does not fit --until: \(GrantLength.limits)")
    }
    return .until(time)
  }
}

/// The command `permission revoke`, which refuses recording.
enum PermissionRevokeCommand: RunnableCommand {
  static var words: [String] { ["permission", "revoke"] }

  static let force = Flag(
    "force", summary: "Kill a recording that does not stop within 5 seconds")

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Refuse recording, and stop recordings",
      details: [
        "Without SERVICE, this refuses the microphone and system audio.",
        "A refusal overrides a policy that authorizes, and revokes the grants of single clients. "
          + "It takes effect even if the disk is full.",
        "Running recordings stop immediately and keep their audio. The command returns when their "
          + "files are complete, and lists them.",
        "Without --program and --all-programs, this refuses recording by recorder only. "
          + MicrophoneAccess.enforcement,
      ],
      operands: [MicrophoneAccess.service],
      options: [MicrophoneAccess.clientOptions(and: [force])],
      examples: [
        Example("recorder permission revoke", "Refuse all recording"),
        Example("recorder permission revoke system-audio", "Refuse only system audio"),
        Example(
          "recorder permission revoke --as dictation", "Refuse the program \"dictation\""),
        Example("recorder permission revoke --program firefox", "Refuse another program"),
        Example("recorder permission revoke --all-programs", "Refuse all other programs"),
      ],
      ends: [.notFound, .permissionUnusable, .revokeUnconfirmed])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    try MicrophoneAccess.perform(.revoke, arguments, console, killing: arguments[force])
  }
}

/// The command `permission reset`, which removes decisions.
enum PermissionResetCommand: RunnableCommand {
  static var words: [String] { ["permission", "reset"] }

  static let force = Flag(
    "force", summary: "Move an untrusted file of decisions aside, and start without it")

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Remove stored decisions",
      details: [
        "Without SERVICE, the decisions about the microphone and system audio are removed. Without "
          + "--as, the decisions about all clients are removed as well.",
        "--program removes the decisions about one other program, and --all-programs those about "
          + "all of them. " + MicrophoneAccess.enforcement,
      ],
      operands: [MicrophoneAccess.service],
      options: [MicrophoneAccess.clientOptions(and: [force])],
      examples: [
        Example("recorder permission reset", "Remove every decision"),
        Example("recorder permission reset --force", "Start again after damage"),
        Example("recorder permission reset --all-programs", "Undo a refusal of all programs"),
      ],
      ends: [.notFound, .permissionUnusable, .revokeUnconfirmed])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    try MicrophoneAccess.perform(.reset(force: arguments[force]), arguments, console)
  }
}
