internal import Linux

extension Phrasing {
  /// The commands that would change the decision; a grant is suggested only if it would work, which
  /// is tried without storing.
  package func advice(in situation: Situation) -> [String] {
    let decision = situation.decide()
    switch decision.source {
    case .policyFault(let fault): return ["An administrator can \(fault.remedy)"]
    case .storeFault(let fault): return ["To repair that, \(fault.remedy)"]
    case .wish(.option): return ["Without --deny, your own decision counts."]
    case .wish(.variable): return ["To lift that: unset RECORDER_PERMISSION"]
    case .policy(let source) where decision.status == .restricted: return restriction(source)
    case .policy, .record, .marker, .nothing: return own(decision, situation)
    }
  }

  private func restriction(_ source: PolicySource) -> [String] {
    let contact = source.contact.map { "Contact: \(PrintableText.escape($0))" }
    return ["You cannot change this; only an administrator can."] + [contact].compactMap { $0 }
  }

  private func own(_ decision: Decision, _ situation: Situation) -> [String] {
    let label = situation.client == .everyone ? "" : " --as \(situation.client)"
    if decision.status == .authorized {
      return ["To refuse it: recorder permission revoke\(label)"]
    }
    let grant = "recorder permission grant\(label)"
    let denied = decision.status == .denied
    let again = denied && situation.after(.reset(force: false)).decide().status == .notDetermined
    if situation.after(.grant(.forever)).decide().status == .authorized {
      return [
        "To allow it: \(grant)", again ? "To forget that: recorder permission reset\(label)" : nil,
      ]
      .compactMap { $0 }
    }
    // A refusal for everyone is in the way, and only the reset for everyone removes it.
    return ["To allow it: recorder permission reset, and then \(grant)"]
  }
}

extension Situation {
  /// The situation after a command, provided everything can be written.
  package func after(_ command: PermissionCommand) -> Situation {
    var after = self
    after.records = records.after(transition(of: command), for: binding, at: clock.wall)
    return after
  }
}
