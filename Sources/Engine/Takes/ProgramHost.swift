internal import Audio
internal import CommandLine
internal import Control
internal import Linux
internal import Permission
internal import Takes

/// The program around a take: its words, its warnings on stderr and its hooks.
struct ProgramHost: TakeHost {
  let software = "recorder \(Version.current)"

  func words(for fault: TakeFault) -> String {
    switch fault {
    case .file(let cause): "\(cause)"
    case .system(let cause): "\(cause)"
    case .nameTaken(let path): "\(quoted(path)) exists by now, so it has another name"
    case .nameUncertain(let cause): "its name may not survive a power cut: \(cause)"
    case .sidecarExists(let name): "\(quoted(name)) exists, so no sidecar was written"
    }
  }

  func label(for cut: TimelineCut) -> String {
    switch cut {
    case .paused(let length): "paused for \(clock(length))"
    case .gap(let gap): "\(gap.length.value) frames lost (\(gap.cause.rawValue))"
    }
  }

  func report(_ error: TakeError) { Console().warn(Failure(error).message) }

  func reportChanged(_ path: String) {
    Console().warn(
      Message("\(quoted(path)) was changed since it was recorded, so --keep does not delete it"))
  }

  func completed(_ result: RecordingResult, of plan: RecordingPlan) {
    Hook(.segment, of: plan)?.run(result)
  }
}

extension AccessLoss {
  /// The reason in a sentence.
  var words: String { PermissionDesk.phrasing.cause(decision, of: account) }
}

extension PermissionGuard {
  /// Warnings for the user of a session that has access.
  var warnings: [String] { unaudited.map { ["the audit does not tell of this: \($0)"] } ?? [] }

  /// Ends the session, and warns where the audit has no entry of that.
  func close(_ session: SessionID, _ result: RecordingResult? = nil) {
    if let failure = end(session, result) {
      Console().warn(Message("the audit does not tell of the end: \(failure)"))
    }
  }
}
