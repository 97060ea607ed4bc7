package import Linux

/// Phrases decisions in sentences; the caller formats moments, because the time zone is unknown
/// here.
package struct Phrasing: Sendable {
  private let time: @Sendable (WallTime) -> String

  /// - Parameter time: formats a moment; by default as the store does.
  package init(time: @escaping @Sendable (WallTime) -> String = { $0.rfc3339 }) {
    self.time = time
  }
}

extension Phrasing {
  /// The state in one line, such as `microphone: denied (user)`.
  package func state(_ decision: Decision) -> String {
    let reason = decision.reason.map { " (\($0.rawValue))" } ?? ""
    let client = decision.client == .everyone ? "" : " for \(decision.client)"
    return "microphone: \(decision.status)\(reason)\(client)"
  }

  /// The cause in a whole sentence: the decision, its time and its origin.
  package func cause(_ decision: Decision, of account: Account) -> String {
    switch decision.source {
    case .nothing: "Nobody has allowed or refused it for \(PrintableText.escape(account.label))."
    case .policy(let source): policy(source, decision.status)
    case .wish(.option): "The option --deny refuses it for this call."
    case .wish(.variable): "RECORDER_PERMISSION=deny in the environment refuses it for this call."
    case .record(let client, let origin): record(client, origin, decision)
    case .marker(let path):
      "It was refused when the disk had no room to write that down; \(quoted(path)) says so."
    case .policyFault(let fault): "The administrator's policy cannot be trusted: \(fault)."
    case .storeFault(let fault): "What was decided earlier cannot be trusted: \(fault)."
    }
  }

  /// The notes of a decision in sentences.
  package func notes(_ decision: Decision) -> [String] {
    decision.notes.map { note in
      switch note {
      case .foreignGrant: "A grant of another machine or user is there and does not count."
      case .noMachine:
        "This machine has no /etc/machine-id: a grant given here counts on any other without one."
      case .someDevices(let file): "\(quoted(file)) restricts some devices."
      }
    }
  }

  /// `until 2026-03-01T10:30:00Z, 59 min from now`; nil for a decision without an end.
  package func end(_ decision: Decision) -> String? {
    guard let expiry = decision.expiresAt, let remaining = decision.remaining else { return nil }
    return "until \(time(expiry)), \(length(remaining)) from now"
  }

  private func policy(_ source: PolicySource, _ status: AuthorizationStatus) -> String {
    let verb = status == .authorized ? "allows" : "forbids"
    let reason = source.reason.map { ": \"\(PrintableText.escape($0))\"" } ?? ""
    return "\(quoted(source.file)) \(verb) it\(reason)."
  }

  private func record(
    _ client: Client, _ origin: Record.Origin, _ decision: Decision
  ) -> String {
    let whom = client == .everyone && decision.client != .everyone ? " to every client" : ""
    let when = decision.since.map { " on \(time($0))" } ?? ""
    switch decision.status {
    case .authorized:
      let limit = decision.reason == .once ? " for one recording" : ""
      let end = end(decision).map { ", \($0)" } ?? ""
      return "It was allowed\(limit)\(when), \(by(origin, "grant"))\(end)."
    case .notDetermined: return "What was granted\(when), \(by(origin, "grant")), is used or over."
    case .denied, .restricted: return "It was refused\(whom)\(when), \(by(origin, "revoke"))."
    }
  }

  private func by(_ origin: Record.Origin, _ verb: String) -> String {
    origin == .prompt ? "at the prompt" : "by recorder permission \(verb)"
  }

  /// The duration in the largest unit that fits at least twice, rounded up.
  private func length(_ duration: Duration) -> String {
    let seconds = duration.components.seconds + (duration.components.attoseconds > 0 ? 1 : 0)
    let units: [(size: Int64, name: String)] = [(86_400, "days"), (3_600, "h"), (60, "min")]
    for unit in units where seconds >= 2 * unit.size {
      return "\((seconds + unit.size - 1) / unit.size) \(unit.name)"
    }
    return "\(seconds) s"
  }
}
