internal import Control
internal import Guard
internal import JSON
internal import Linux
internal import Permission

/// The report of `guard on` and `guard off`.
struct GuardSwitchReport: Report {
  /// The mode of the guard, or nil if it was turned off.
  let mode: GuardMode?
  /// Whether the steps are only shown.
  var isDry = false
  let steps: [GuardSetup.Step]
  /// The programs that recorded without a permission.
  var programs: [(use: GuardedUse, status: AuthorizationStatus)] = []
  /// Whether a guard runs now.
  var isRunning = false
  /// Whether the guard was already on.
  var wasOn = false
  /// Whether the sound server was restarted.
  var isRestarted = false

  /// The programs without a decision. An unidentified program is not included, because no decision
  /// can allow it.
  var undecided: [GuardedUse] {
    programs.filter { $0.status == .notDetermined && $0.use.program != nil }.map(\.use)
  }

  /// Whether the steps change files of the sound server.
  var changesServer: Bool { steps.contains { $0.isChange && !$0.path.isUnit } }

  private var needsRestart: Bool { changesServer && !isRestarted && !isDry }

  var exitCode: ExitCode { mode == nil || isDry || isRunning ? .done : .failed }

  /// True, because a path or a command is easier to copy if it is not wrapped.
  var keepsLines: Bool { true }

  func text(_ style: Style) -> String {
    let rows = programs.map { "  \($0.use.words): \($0.status.words)\n" }.joined()
    return paragraph(headline) + steps.compactMap(line).joined()
      + (rows.isEmpty ? "" : "\n" + paragraph(programWords) + rows) + restartText
  }

  private var headline: String {
    guard let mode else { return "The guard is off. Decisions about programs stay stored." }
    if wasOn { return "The guard is on already: it \(mode.words)." }
    if isDry { return "\"recorder guard on\" would make these changes:" }
    return isRunning
      ? "The guard is on: it \(mode.words)."
      : "The files of the guard are written, but no guard is running."
  }

  private func line(_ step: GuardSetup.Step) -> String? {
    let path = printable(step.path.text)
    return switch step.change {
    case .keep: nil
    case .write: "  \(isDry ? "write" : "wrote") \(path)\n"
    case .replace: "  \(isDry ? "replace" : "replaced") \(path)\n"
    case .remove: "  \(isDry ? "remove" : "removed") \(path)\n"
    case .leave: "  left \(path): the file was changed; remove it if you do not need it\n"
    }
  }

  private var programWords: String {
    undecided.isEmpty
      ? "The guard refuses these programs, which record now:"
      : "These programs record now without a permission. Before the guard starts, decide about each "
        + "undecided program:"
  }

  private var restartText: String {
    guard needsRestart else { return "" }
    let effect =
      mode == nil
      ? "The sound server keeps the microphone closed until it restarts."
      : "Until the sound server restarts, a program can get a moment of sound."
    return "\n" + paragraph(effect + " Log out and in again, or type:")
      + "  \(UserServices.restartCommand)\n"
  }
}

extension GuardSwitchReport {
  var json: JSONObject {
    var object: JSONObject = [
      "on": .bool(mode != nil), "running": .bool(isRunning), "dryRun": .bool(isDry),
      "files": .array(
        steps.map { ["path": .string($0.path.text), "change": .string($0.change.rawValue)] }),
      "restart": .string(
        isRestarted ? "done" : changesServer ? "needed" : "none"),
    ]
    object["mode"] = mode.map { .string($0.rawValue) }
    if mode != nil { object["programs"] = .array(programs.map { $0.use.json }) }
    return object
  }
}
