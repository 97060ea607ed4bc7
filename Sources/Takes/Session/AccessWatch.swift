internal import Audio
package import Control
package import Devices
package import Linux
package import Permission
internal import Store

/// Checks that a session has access to the services that it needs, and detects the loss of access.
package final class AccessWatch {
  private var authority: Authority
  /// The query for the services that the session still needs.
  private var query: AccessQuery
  private let cards: CardAccess
  /// The index of `cards.changed` in the last poll.
  private var cardsIndex: Int?
  /// The reason why the audit has no entry for the start, or nil if it has one.
  package private(set) var unaudited: StoreFailure?
  /// The services that the user allowed only for this recording, because decisions cannot be
  /// stored. A stored decision about a service overrides this permission.
  private var allowedAlone: Set<Service>
  private var watch: DecisionWatch
  /// The list of mounts that the writer polls. An open file reports each change to only one poll,
  /// so the writer cannot share the open file of `watch`.
  private let mountList = try? OpenFile(Descriptor(opening: "/proc/self/mountinfo"))
  /// The time on the monotonic clock at which the permission expires, as of the last check, or nil
  /// if it does not expire.
  package private(set) var deadline: Duration?
  private var hasStarted = false
  /// The time since 1970 of the last check, or a little earlier.
  private var checked = KernelClock.realTime.now
  /// The files and directories that decisions depend on, except those of policies.
  private let decisive: [String]

  /// Starts to watch before anything is read, so that no change is missed.
  package init(_ plan: RecordingPlan, _ session: SessionID) throws {
    authority = try StoreFailure.translating { try Authority.current() }
    decisive = authority.store.files + authority.store.watched
    watch = try DecisionWatch(authority)
    var query = AccessQuery(
      plan.capture.services, client: try Self.client(of: plan), session: session)
    query.deviceName = plan.capture.tracks.devices
    query.output = plan.output.path
    self.query = query
    // The plan comes from another process, so `isAllowedAlone` counts only if decisions cannot be
    // stored.
    allowedAlone =
      plan.isAllowedAlone && !authority.store.canStore() ? plan.capture.services : []
    cards = try CardAccess(plan.capture, authority, query, allowedAlone: allowedAlone)
    authority.device = cards.found
  }

  /// A function that checks whether a device that was opened again may be captured.
  package var reopening: @Sendable (borrowing CaptureDevice) -> Bool {
    { [cards] device in cards.mayReopen(device) }
  }

  private static func client(of plan: RecordingPlan) throws -> Client {
    guard let name = plan.client else { return .everyone }
    if let client = Client(name) { return client }
    throw TakeError.unknownClient(name)
  }

  /// The time since 1970 at which the permission expires, in whole seconds, as of the last check,
  /// or nil if it does not expire.
  package var accessUntil: Duration? {
    deadline.map { deadline in
      let end = KernelClock.realTime.now + (deadline - KernelClock.monotonic.now)
      return WallTime(sinceEpoch: end).nearestSecond.sinceEpoch
    }
  }

  /// Adds the descriptors that end a wait when the permission may have changed.
  package func enlist(in poll: inout Poll) {
    watch.enlist(in: &poll)
    cardsIndex = poll.add(cards.changed.descriptor.number)
  }

  /// The number of a descriptor that is readable from a change until `noticesChange` is called.
  var number: Int32 { watch.number }

  /// The number of a descriptor that the first poll after a mount reports as urgent, or −1 without
  /// /proc.
  var mounts: Int32 { mountList?.descriptor.number ?? -1 }

  /// True if a wait ends after each change of a file that decisions depend on.
  var isToldOfAll: Bool { watch.seesAll }

  /// Whether the last wait found changes that `noticesChange` has not processed.
  func isPending(_ poll: borrowing Poll) -> Bool { watch.isPending(poll) }

  /// Processes the changes found by the last wait; returns true if the access may have changed.
  func noticesChange(_ poll: borrowing Poll) -> Bool {
    let hasOtherCards = cardsIndex.map { !poll[$0].isEmpty && cards.changed.clear() } ?? false
    return watch.noticesChange(poll) || hasOtherCards
  }

  /// Returns whether the access must be checked: a decision may have changed without a
  /// notification, or the last check was a long time ago.
  func isCheckDue() -> Bool { watch.isCheckDue(before: deadline) }

  /// Checks the access if something has changed or a check is due. Returns true if the access is
  /// lost.
  package func findsLoss(_ poll: borrowing Poll) -> Bool {
    (noticesChange(poll) || isCheckDue()) && loss != nil
  }

  /// Returns the access of another process that reads tracks of the take.
  ///
  /// - Parameters:
  ///   - reader: the identifier of the process as a reader.
  ///   - mark: the meter mark, which lists the reader as listening, or nil if there is none.
  func access(
    of client: Client, as reader: SessionID, in process: Int32?, to tracks: [Track],
    _ mark: consuming MeterMark?
  ) -> ReaderAccess {
    var asked = query
    (asked.client, asked.services, asked.output) = (client, tracks.services, nil)
    asked.deviceName = tracks.devices
    return ReaderAccess(
      process.map { authority.acting(for: ProcessFacts(of: $0)) } ?? authority, asked,
      reader: reader, mark)
  }

  /// Throws if the session has no access now.
  package func check() throws { try check(authority.situation(query)) }

  /// Throws if the situation does not allow the session, and writes the refusal to the audit.
  private func check(_ situation: Situation) throws {
    guard !allows(situation) else { return }
    throw authority.refusal(of: query, in: situation)
  }

  /// Checks the access to the opened cards. These may differ from the cards that were found by
  /// name. After this call, each new card is checked before it is captured.
  package func check(opened device: borrowing CaptureDevice) throws {
    cards.take(device.setup.cards)
    try check()
    cards.follow(device)
  }

  /// Binds grants for one recording to this session. Throws without access.
  package func consume(for session: SessionID) throws {
    let situation = try authority.consume(for: session, query)
    try check(situation)
    deadline = Self.deadline(of: situation.decisions)
  }

  /// Returns the time on the monotonic clock at which the first of the decisions expires, or nil if
  /// none expires.
  private static func deadline(of decisions: [Decision]) -> Duration? {
    decisions.compactMap(\.remaining).min().map { KernelClock.monotonic.now + $0 }
  }

  /// The loss of access that ends the capture, or nil while the session has access.
  package var loss: AccessLoss? { losses.first }

  /// The losses of the services that the session still needs, the strictest first.
  private var losses: [AccessLoss] {
    let (expiry, change, now) = (deadline, firstChange, KernelClock.realTime.now)
    // Some kernels use the time of the last tick as the time of a change, so a change may seem
    // older than it is.
    checked = now - .milliseconds(10)
    let situation = authority.situation(query)
    let lost = refused(in: situation)
    deadline = Self.deadline(of: situation.decisions.filter { !lost.contains($0) })
    return lost.sorted { $0.isStricter(than: $1) }
      .map { decision in
        var loss = AccessLoss(decision: decision, account: authority.account)
        let age =
          decision.reason == .expired
          ? expiry.map { KernelClock.monotonic.now - $0 } : change.map { now - $0 }
        // After a step of the clock or a suspension, the time of the loss is not known.
        loss.age = age.flatMap { $0 < .zero ? nil : $0 }
        return loss
      }
  }

  /// The time since 1970 of the first change after the last check, or nil if no file or directory
  /// that decisions depend on has changed.
  private var firstChange: Duration? {
    (decisive + authority.directories.paths).compactMap { try? FileStatus(of: $0).changed }
      .filter { $0 > checked }.min()
  }

  /// Returns the new losses of access. `isComplete` is true if all services are lost. If it is
  /// false, the session continues without the lost services, and the audit gets an entry for their
  /// end.
  ///
  /// - Parameter report: receives the failure if the audit gets no entry.
  package func takeLosses(
    reporting report: (StoreFailure) -> Void
  ) -> (losses: [AccessLoss], isComplete: Bool) {
    let losses = losses
    let lost = Set(losses.map(\.decision.service))
    if lost == query.services { return (losses, true) }
    query.services.subtract(lost)
    if !losses.isEmpty, hasStarted {
      var query = query
      query.services = lost
      if let failure = authority.record(.stop, query, losses.map(\.decision)) { report(failure) }
    }
    return (losses, false)
  }

  /// Writes the start to the audit, before the first frame. If this fails, stores the failure in
  /// `unaudited`, or throws it if an administrator requires the audit.
  package func tellStart() throws {
    let situation = authority.situation(query)
    if let failure = authority.record(.start, query, situation.decisions) {
      if let file = situation.policies.requiresAudit {
        throw TakeError.permission(.auditRequired(by: file, failure))
      }
      unaudited = failure
    }
    hasStarted = true
  }

  /// Ends the access of the session, and its session grant. Writes the result to the audit if
  /// `tellStart` has returned before.
  ///
  /// - Returns: the reason why the audit has no entry for the end, or nil if it has one.
  package func end(_ session: SessionID, _ result: RecordingResult? = nil) -> StoreFailure? {
    var failure: StoreFailure?
    if hasStarted {
      failure = authority.record(.stop, query, authority.situation(query).decisions) { event in
        event.duration = result?.takeDuration
        event.frames = result?.takeFrames.value
        event.exit = result?.exit
      }
    }
    try? authority.end(session)
    return failure
  }

  private func allows(_ situation: Situation) -> Bool { refused(in: situation).isEmpty }

  /// Returns the decisions that do not allow the session.
  private func refused(in situation: Situation) -> [Decision] {
    let decisions = situation.decisions
    // A stored decision overrides the permission for this recording. Remove this permission, so
    // that it does not apply again after the decision has expired.
    for decision in decisions where decision.status != .notDetermined {
      allowedAlone.remove(decision.service)
    }
    return decisions.filter { !$0.isAllowed(alone: allowedAlone) }
  }
}

extension Decision {
  /// Whether the service may be recorded.
  ///
  /// - Parameter services: the services that the user allowed only for this recording. A stored
  ///   decision about a service overrides this permission.
  func isAllowed(alone services: Set<Service>) -> Bool {
    status == .authorized || (status == .notDetermined && services.contains(service))
  }
}

extension Authority {
  /// Writes a refusal to the audit, and returns the error for it.
  func refusal(of query: AccessQuery, in situation: Situation) -> TakeError {
    let failure = record(.refuse, query, situation.deciding)
    return .permission(
      .refused(PermissionRefusal(situation: situation, account: account, unaudited: failure)))
  }
}
