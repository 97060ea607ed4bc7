internal import Linux
package import Permission

/// The wording of decisions and of the outcomes of commands.
package struct PermissionPhrasing: Sendable {
  /// Formats a time for the user.
  var time: @Sendable (WallTime) -> String = { $0.rfc3339 }
}

extension PermissionPhrasing {
  /// Returns the state in one line, such as `Microphone: refused by you`.
  package func state(_ decision: Decision) -> String {
    let client = decision.client == .everyone ? "" : " for \(printable(decision.client.shown))"
    return "\(decision.service.title)\(client): \(words(decision))"
  }

  /// Returns the state in words for the end of a line or a clause, such as `refused by you`.
  func words(_ decision: Decision) -> String {
    switch (decision.status, decision.reason) {
    case (.authorized, .policy): "allowed by a policy"
    case (.authorized, .once): "allowed for one recording"
    case (.authorized, _):
      "allowed" + (decision.expiresAt.map { " until \(time($0))" } ?? " until you revoke it")
    case (.notDetermined, .expired): "no longer allowed"
    case (.notDetermined, _): "not decided yet"
    case (.restricted, _): "forbidden by a policy"
    case (.denied, .storeUnusable): "refused, because your saved decision cannot be trusted"
    case (.denied, .policyUnusable): "refused, because the policy cannot be trusted"
    case (.denied, .environment): restriction(decision.source)
    case (.denied, _): "refused by you"
    }
  }

  private func restriction(_ source: Decision.Source) -> String {
    source == .callRestriction(.option)
      ? "refused by --deny" : "refused by RECORDER_PERMISSION in the environment"
  }

  /// Returns a clause that says why a permitted recording has ended.
  package func loss(_ decision: Decision, of account: Account) -> String {
    guard decision.source == .nothing else {
      return clause(cause(decision, of: account, naming: true))
    }
    return "the decision that allowed \(decision.service.access) was removed, "
      + "for example by \"recorder permission reset\""
  }

  /// Turns a sentence into a clause of another sentence. A first word in capitals is not changed.
  private func clause(_ sentence: String) -> String {
    let text = sentence.ends(with: ".") ? sentence.trimmingBytes(last: 1) : sentence
    let small = UInt8(ascii: "a")...UInt8(ascii: "z")
    guard let second = text.utf8.dropFirst().first, small.contains(second) else { return text }
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  /// Returns the cause as a whole sentence: the decision, its time and its origin.
  ///
  /// - Parameter naming: true if no other line names the service.
  package func cause(_ decision: Decision, of account: Account, naming: Bool = false) -> String {
    let access = decision.service.access
    switch decision.source {
    case .nothing:
      let whom =
        decision.client.kind == .caller
        ? " for \(printable(account.label))" : decision.client.purpose
      return "\(sentence(access)) has not been decided\(whom)."
    case .policy(let source):
      let verb = decision.status == .authorized ? "allows" : "forbids"
      let reason = source.reason.map { ": \"\(printable($0))\"" } ?? ""
      return "\(quoted(source.file)) \(verb) \(access)\(reason)."
    case .callRestriction(.option): return "The option --deny refuses \(access) for this command."
    case .callRestriction(.variable):
      return "RECORDER_PERMISSION=deny in the environment refuses \(access) for this command."
    case .record(let client, let origin):
      return record(client, origin, decision, naming ? sentence(access) : "Access")
    case .marker(let path):
      return "You refused access. The list of decisions could not be written, so the refusal is "
        + "stored in \(quoted(path))."
    case .policyFault(let fault):
      return "The administrator's policy cannot be trusted: \(fault.words)."
    case .storeFault(let fault): return "Your stored decision cannot be trusted: \(fault)."
    case .portal:
      let verb = decision.status == .authorized ? "allowed" : "refused"
      return "\(naming ? sentence(access) : "Access") is \(verb)\(decision.client.purpose) in the "
        + "desktop's permission store."
    case .portalFault(let reason):
      return "\(sentence(PortalRecords.Fault.unreadable(printable(reason)).words))."
    }
  }

  /// Returns the notes of a decision as sentences.
  func notes(_ decision: Decision) -> [String] {
    decision.notes.map { note in
      switch note {
      case .foreignGrant: "A grant of another machine or user exists, but does not apply here."
      case .noMachine:
        "This machine has no /etc/machine-id: a grant also applies on other machines without one."
      case .someDevices(let file): "\(quoted(file)) restricts some devices."
      case .usedGrant:
        "A grant for one recording was used; that recording may continue until it ends."
      }
    }
  }

  /// Returns the end of a decision, such as `until 2026-03-01T10:30:00Z, 59 min from now`, or nil
  /// if the decision has no end.
  func end(_ decision: Decision) -> String? {
    guard let expiry = decision.expiresAt, let remaining = decision.remaining else { return nil }
    return "until \(time(expiry)), \(length(remaining)) from now"
  }

  private func record(
    _ client: Client, _ origin: Record.Origin, _ decision: Decision, _ access: String
  ) -> String {
    let whom = client == .everyone && decision.client != .everyone ? " to every client" : ""
    let when = decision.since.map { " on \(time($0))" } ?? ""
    switch decision.status {
    case .authorized:
      let limit = decision.reason == .once ? " for one recording" : ""
      let end = end(decision).map { ", \($0)" } ?? ""
      return "\(access) was allowed\(client.purpose)\(limit)\(when), \(by(origin, "grant"))\(end)."
    case .notDetermined:
      let given = "given\(client.purpose)\(when) \(by(origin, "grant"))"
      return "The grant that was \(given) has expired."
    case .denied, .restricted:
      return "\(access) was refused\(whom)\(client.purpose)\(when), \(by(origin, "revoke"))."
    }
  }

  private func by(_ origin: Record.Origin, _ verb: String) -> String {
    origin == .prompt ? "at the prompt" : "by recorder permission \(verb)"
  }

  /// Formats a duration in the largest unit that fits at least twice, and in the next smaller unit:
  /// `17 h 18 min`. The smaller unit is rounded up. Minutes are shown without seconds, rounded up.
  private func length(_ duration: Duration) -> String {
    let seconds = duration.components.seconds + (duration.components.attoseconds > 0 ? 1 : 0)
    let units: [(size: Int64, name: String)] = [
      (86_400, "days"), (3_600, "h"), (60, "min"), (1, "s"),
    ]
    for (unit, next) in zip(units, units.dropFirst()) where seconds >= 2 * unit.size {
      if unit.size == 60 { return "\((seconds + 59) / 60) min" }
      let smaller = (seconds + next.size - 1) / next.size
      let (count, rest) = smaller.quotientAndRemainder(dividingBy: unit.size / next.size)
      return "\(count) \(unit.name)" + (rest > 0 ? " \(rest) \(next.name)" : "")
    }
    return "\(seconds) s"
  }
}

extension PermissionPhrasing {
  /// Returns the causes of the strictest decisions, and the commands that would change them.
  func explanation(in situation: Situation) -> [String] {
    let deciding = situation.deciding
    return deciding.map { cause($0, of: situation.account, naming: deciding.count > 1) }
      .withoutRepetitions + advice(in: situation)
  }

  /// Returns the commands that would change the strictest decisions. A grant is suggested only if
  /// it would work, which is tested without storing it.
  package func advice(in situation: Situation) -> [String] {
    situation.deciding.flatMap { advice(on: $0, situation) }.withoutRepetitions
  }

  private func advice(on decision: Decision, _ situation: Situation) -> [String] {
    switch decision.source {
    case .policyFault(let fault): return ["An administrator can \(fault.administratorRemedy)"]
    case .storeFault(let fault): return ["To repair that, \(fault.remedy)"]
    case .callRestriction(.option): return ["Without --deny, your own decision applies."]
    case .callRestriction(.variable): return ["To lift that: unset RECORDER_PERMISSION"]
    case .policy(let source) where decision.status == .restricted: return restriction(source)
    case .portalFault: return [sentence(PortalRecords.Fault.examination)]
    case .policy, .record, .marker, .nothing, .portal: return own(decision, situation)
    }
  }

  private func restriction(_ source: PolicySource) -> [String] {
    let contact = source.contact.map { "Contact: \(printable($0))" }
    return ["You cannot change this; only an administrator can."] + [contact].compactMap { $0 }
  }

  private func own(_ decision: Decision, _ whole: Situation) -> [String] {
    let service = decision.service
    let situation = whole.about([service])
    let (label, all) = (situation.client.option, situation.client.kind.everyone.option)
    // Without a service, "revoke" and "reset" apply to all services.
    let isOnly = situation.records.ledger?.records.keys.allSatisfy { $0.service == service } ?? true
    let isNamed = whole.deciding.count == 1 && (service != .microphone || !isOnly)
    let word = isNamed ? " \(service.word)" : ""
    if decision.status == .authorized {
      return ["To refuse it: recorder permission revoke\(word)\(label)"]
    }
    let object = whole.deciding.count > 1 ? service.object : "it"
    let reset = "recorder permission reset\(word)"
    let grant =
      "recorder permission grant" + (service == .microphone ? "" : " \(service.word)") + label
    let denied = decision.status == .denied
    if situation.client == .allPrograms { return denied ? ["To lift that: \(reset)\(all)"] : [] }
    let again = denied && situation.after(.reset(force: false)).decide().status == .notDetermined
    if situation.after(.grant(.forever)).decide().status == .authorized {
      return ["To allow \(object): \(grant)"]
        + (again ? ["To be asked again: \(reset)\(label)"] : [])
    }
    // A refusal for everyone blocks the grant, and only a reset for everyone removes this refusal.
    return ["To allow \(object): \(reset)\(all), and then \(grant)"]
  }
}

/// Returns a phrase as the beginning of a sentence.
func sentence(_ phrase: String) -> String { phrase.prefix(1).uppercased() + phrase.dropFirst() }

extension [String] {
  /// The texts in order, each text once.
  fileprivate var withoutRepetitions: [String] {
    reduce(into: []) { texts, text in if !texts.contains(text) { texts.append(text) } }
  }
}
