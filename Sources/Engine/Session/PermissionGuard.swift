internal import Audio
internal import CommandLine
internal import Control
internal import Devices
internal import Linux
internal import Permission

/// Lets a session begin only with the permission, and says at once when it is gone.
final class PermissionGuard {
  private let authority: Authority
  private let asked: Inquiry
  private let card: ListenedCard
  /// The device, as it was typed.
  private let name: String
  /// Warnings for the user of a session that may listen.
  private(set) var news: [String] = []
  /// Whether the user allowed this recording where no answer can be stored; any that is counts more.
  private var isAllowedAlone: Bool
  private var watch: Watch
  /// When the permission ends by itself, on the monotonic clock, as it was at the last check.
  private(set) var deadline: Duration?
  private var hasStarted = false

  /// Watches before anything is read, so that no change falls in between.
  init(_ plan: RecordingPlan, _ session: SessionID) throws(Failure) {
    do throws(DirectoryRefusal) {
      authority = try Authority.current()
    } catch {
      throw Failure(.permissionUnusable, Message("the permission cannot be read: \(error)"))
    }
    do throws(SystemError) {
      var watch = try Watch()
      for path in authority.store.watched + authority.directories.paths { try watch.add(path) }
      self.watch = watch
    } catch {
      throw Failure(.failed, Message("cannot watch the permission: \(error)"))
    }
    let name = plan.capture.device
    self.name = name
    card = ListenedCard { AskedDevice(resolving: name) }
    var asked = Inquiry(client: try Self.client(of: plan), session: session)
    asked.deviceName = name
    asked.output = plan.output.path
    self.asked = asked
    // The plan comes from whoever started this: what can be written down counts only once it is.
    isAllowedAlone = plan.isAllowedAlone && !authority.store.canStore()
  }

  /// What is asked about now.
  private var inquiry: Inquiry {
    var inquiry = asked
    inquiry.device = card.found
    return inquiry
  }

  /// Whether a device that went away may be opened again: another card may be behind its name.
  var reopening: @Sendable (OpenedCard?) -> Bool {
    let (authority, card, asked, name) = (authority, card, asked, name)
    return { opened in
      guard card.lookAgain() != nil else { return false }
      let device = AskedDevice(opened: opened, by: name)
      card.take(opened: device)
      var inquiry = asked
      inquiry.device = device
      return [.authorized, .notDetermined].contains(authority.decide(inquiry).status)
    }
  }

  private static func client(of plan: RecordingPlan) throws(Failure) -> Client {
    guard let name = plan.client else { return .everyone }
    if let client = Client(name) { return client }
    throw Failure(.usage, Message("the plan names no client: \(quoted(name))"))
  }

  /// Readable when something about the permission may have changed.
  var number: Int32 { watch.descriptor.number }

  /// Forgets the changes that were noticed; the next check sees them.
  func clear() { _ = try? watch.changes() }

  /// Throws unless the session may listen now.
  func check() throws(Failure) {
    let decision = authority.decide(inquiry)
    guard allows(decision) else { throw refusal(decision) }
  }

  /// The same for what was opened: another card may be behind the name than the one that was asked
  /// about.
  func check(opened device: OpenedCard?) throws(Failure) {
    card.take(opened: AskedDevice(opened: device, by: name))
    try check()
  }

  /// Makes a grant for one recording this session's own; throws where it may not listen.
  func consume(for session: SessionID) throws(Failure) {
    let decision: Decision
    do throws(StoreFailure) {
      decision = try authority.consume(for: session, inquiry)
    } catch {
      throw Failure(.permissionUnusable, Message("the permission cannot be used: \(error)"))
    }
    guard allows(decision) else { throw refusal(decision) }
  }

  /// Why the session has to end, or nil while it may listen.
  var ending: (reason: EndReason, message: String)? {
    let decision = authority.decide(inquiry)
    deadline = decision.remaining.map { KernelClock.monotonic.now + $0 }
    guard !allows(decision) else { return nil }
    let cause = PermissionDesk.phrasing.cause(decision, of: authority.account)
    return (decision.reason == .expired ? .expired : .permission, cause)
  }

  /// The audit tells of it before the first frame; where it cannot, that is news, or a refusal
  /// where an administrator demands it.
  func tellStart() throws(Failure) {
    let situation = authority.situation(inquiry)
    if let failure = authority.tell(.start, inquiry, situation.decide()) {
      if let file = situation.policies.requiresAudit {
        throw Failure(
          .permissionRestricted,
          Message(
            "may not listen: the audit cannot be written: \(failure)",
            advice: "\(quoted(file)) lets nothing be recorded of which the audit does not tell"))
      }
      news.append("the audit does not tell of this: \(failure)")
    }
    hasStarted = true
  }

  /// The session is over, with that result if it began: what it alone was allowed is used up.
  func end(_ session: SessionID, _ result: RecordingResult? = nil) {
    if hasStarted {
      let failure = authority.tell(.stop, inquiry, authority.decide(inquiry)) { event in
        event.duration = result?.takeDuration
        event.frames = result?.takeFrames.value
        event.exit = result?.exit
      }
      if let failure { Console().warn(Message("the audit does not tell of the end: \(failure)")) }
    }
    try? authority.end(session)
  }

  private func allows(_ decision: Decision) -> Bool {
    // What is decided later counts more than what was allowed before, also once it has run out.
    if decision.status != .notDetermined { isAllowedAlone = false }
    return decision.status == .authorized || isAllowedAlone
  }

  private func refusal(_ decision: Decision) -> Failure {
    let failure = authority.tell(.refuse, inquiry, decision)
    let unsaid = failure.map { ["the audit does not tell of this: \($0)"] } ?? []
    let phrasing = PermissionDesk.phrasing
    return Failure(
      ExitCode(rawValue: decision.exit.rawValue) ?? .permissionDenied,
      Message(
        "may not listen: " + phrasing.cause(decision, of: authority.account),
        advice: phrasing.advice(in: authority.situation(inquiry)) + unsaid))
  }
}
