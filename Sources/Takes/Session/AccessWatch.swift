internal import Audio
package import Control
package import Devices
package import Linux
package import Permission
internal import Synchronization

/// Allows a session only with access to the services that it needs, and reports the loss of one at
/// once.
package final class AccessWatch {
  private let authority: Authority
  /// The query without the card. Its services are those of the tracks that have not ended.
  private var asked: AccessQuery
  private let card: ListenedCard
  /// The devices of the recording.
  private let capture: CapturePlan
  /// The reason why the audit has no entry for the start, or nil if it has one.
  package private(set) var unaudited: StoreFailure?
  /// The services that the user allowed only for this recording, because no answer can be stored. A
  /// stored answer overrides that.
  private var allowedAlone: Set<Service>
  private var watch: DecisionWatch
  /// The time on the monotonic clock at which the permission expires, as of the last check, or nil
  /// if it does not expire.
  package private(set) var deadline: Duration?
  private var hasStarted = false
  /// The files and directories that decisions depend on, without those of policies.
  private let decisive: [String]
  /// The state of everything that decisions depend on, as of the last check that was due.
  private var traces: AccessTraces?

  /// Starts to watch before anything is read, so that no change is missed.
  package init(_ plan: RecordingPlan, _ session: SessionID) throws {
    authority = try StoreFailure.translating { try Authority.current() }
    decisive = authority.store.files + authority.store.watched
    watch = try DecisionWatch(authority)
    let capture = plan.capture
    self.capture = capture
    card = ListenedCard { RequestedDevice(of: capture) }
    var asked = AccessQuery(
      plan.capture.services, client: try Self.client(of: plan), session: session)
    asked.deviceName = plan.capture.tracks.devices
    asked.output = plan.output.path
    self.asked = asked
    // The plan comes from another process. If answers can be stored, only a stored answer counts.
    allowedAlone =
      plan.isAllowedAlone && !authority.store.canStore() ? plan.capture.services : []
  }

  /// The query for the card that the device name resolves to now.
  private var query: AccessQuery {
    var query = asked
    query.device = card.found
    return query
  }

  /// A function that checks whether a disconnected device may be opened again: its name may now
  /// stand for another card. If several services are needed, one is enough, because tracks without
  /// permission are silent.
  package var reopening: @Sendable (OpenedCard?) -> Bool {
    let (authority, card, asked, capture) = (authority, card, asked, capture)
    return { opened in
      guard card.lookAgain() != nil else { return false }
      let device = RequestedDevice(opened: opened, for: capture)
      card.take(opened: device)
      var query = asked
      query.device = device
      return authority.situation(query).decisions.contains {
        [.authorized, .notDetermined].contains($0.status)
      }
    }
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
      return .seconds((end + .milliseconds(500)).components.seconds)
    }
  }

  /// Adds the descriptors that end a wait when the permission may have changed.
  package func enlist(in poll: inout Poll) { watch.enlist(in: &poll) }

  /// Whether every change of the files that decisions depend on ends a wait.
  var isToldOfAll: Bool { watch.seesAll }

  /// Processes the changes found by the last wait; returns true if the access may have changed.
  func noticesChange(_ poll: borrowing Poll) -> Bool { watch.noticesChange(poll) }

  /// Checks the files and clocks that decisions depend on. Returns true if they have changed, or if
  /// it has returned false for a long time. This covers filesystems without notifications, and
  /// clocks that jump.
  func isCheckDue() -> Bool {
    let present = AccessTraces(of: decisive, authority.directories.paths, deadline)
    let longest: Duration = isToldOfAll && !present.hasPolicies ? .seconds(30) : .seconds(7)
    guard traces.map({ present.continues($0, within: longest) }) != true else { return false }
    traces = present
    return true
  }

  /// Checks the access if something has changed or a check is due. Returns true if the access is
  /// lost.
  package func findsLoss(_ poll: borrowing Poll) -> Bool {
    (noticesChange(poll) || isCheckDue()) && loss != nil
  }

  /// Throws unless the session has access now.
  package func check() throws { try check(authority.situation(query)) }

  /// Throws and audits the refusal unless the situation allows the session.
  private func check(_ situation: Situation) throws {
    guard !allows(situation) else { return }
    let failure = authority.record(.refuse, query, situation.deciding)
    throw TakeError.permission(
      .refused(
        PermissionRefusal(situation: situation, account: authority.account, unaudited: failure)))
  }

  /// Checks the access to the card that was opened. The name may have stood for another card at the
  /// first check.
  package func check(opened device: OpenedCard?) throws {
    card.take(opened: RequestedDevice(opened: device, for: capture))
    try check()
  }

  /// Binds grants for one recording to this session. Throws without access.
  package func consume(for session: SessionID) throws {
    try check(authority.consume(for: session, query))
  }

  /// The loss of access that ends the capture, or nil while the session has access.
  package var loss: AccessLoss? { losses.first }

  /// The losses of the services that the session still needs, the strictest first.
  private var losses: [AccessLoss] {
    let situation = authority.situation(query)
    let lost = refused(in: situation)
    deadline = situation.decisions.filter { !lost.contains($0) }.compactMap(\.remaining).min()
      .map { KernelClock.monotonic.now + $0 }
    return lost.sorted { $0.isStricter(than: $1) }
      .map { AccessLoss(decision: $0, account: authority.account) }
  }

  /// Returns the new losses of access. If the session still has access to another service, it does
  /// not need the lost ones any more, and their end is written to the audit.
  ///
  /// - Parameter report: receives the reason why the audit has no entry for that end.
  package func takeLosses(
    reporting report: (StoreFailure) -> Void
  ) -> (losses: [AccessLoss], isComplete: Bool) {
    let losses = losses
    let lost = Set(losses.map(\.decision.service))
    if lost == asked.services { return (losses, true) }
    asked.services.subtract(lost)
    if !losses.isEmpty, hasStarted {
      var query = query
      query.services = lost
      if let failure = authority.record(.stop, query, losses.map(\.decision)) { report(failure) }
    }
    return (losses, false)
  }

  /// Writes the start to the audit before the first frame. A failure is stored in `unaudited`. It
  /// is thrown only if an administrator requires the audit.
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

  /// Ends the session. Writes its result to the audit if it has started, and uses up a grant for
  /// this session.
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
    // A later decision overrides the one-time answer, even after that decision has expired.
    for decision in decisions where decision.status != .notDetermined {
      allowedAlone.remove(decision.service)
    }
    return decisions.filter {
      $0.status != .authorized && !allowedAlone.contains($0.service)
    }
  }
}

/// The state of the files and clocks that access depends on. Comparing two states shows
/// a change, at the cost of a few system calls.
private struct AccessTraces {
  private let files: [FileStatus?]
  private let policies: [FileStatus?]
  private let wallTime: Duration
  private let moment: Duration
  private let deadline: Duration?

  /// Whether a directory of policies exists. A policy in it may have another hard link elsewhere,
  /// and a write through that link causes no notification.
  var hasPolicies: Bool { policies.contains { $0 != nil } }

  init(of paths: [String], _ policies: [String], _ deadline: Duration?) {
    files = paths.map { path in try? FileStatus(of: path) }
    self.policies = policies.map { path in try? FileStatus(of: path) }
    wallTime = KernelClock.realTime.now
    moment = KernelClock.monotonic.now
    self.deadline = deadline
  }

  /// Returns true if nothing has changed since `former`, and less than `longest` has passed.
  func continues(_ former: AccessTraces, within longest: Duration) -> Bool {
    let passed = moment - former.moment
    let jump = (wallTime - former.wallTime) - passed
    return files == former.files && policies == former.policies && passed < longest
      && abs(jump / .seconds(1)) < 0.5 && deadline.map { $0 > moment } ?? true
  }
}

/// The card behind the device name of a recording. It may change with a reconnection, and it may
/// not be the card that the name suggests.
final class ListenedCard: Sendable {
  private struct State {
    /// The card that the name resolves to.
    var named: RequestedDevice
    /// The card that was opened, or `named` before that.
    var found: RequestedDevice
  }

  private let look: @Sendable () -> RequestedDevice
  private let state: Mutex<State>

  init(_ look: @escaping @Sendable () -> RequestedDevice) {
    self.look = look
    let card = look()
    state = Mutex(State(named: card, found: card))
  }

  /// The card that was found last.
  var found: RequestedDevice { state.withLock { $0.found } }

  /// Resolves the name again. Returns nil if a card existed before and none exists now, so that
  /// there is nothing to open.
  func lookAgain() -> RequestedDevice? {
    let now = look()
    return state.withLock { state in
      if now == .unresolved, state.named != .unresolved { return nil }
      state = State(named: now, found: now)
      return now
    }
  }

  /// Uses the opened card for decisions: the user's ALSA configuration can put any card behind a
  /// name.
  func take(opened card: RequestedDevice) { state.withLock { $0.found = card } }
}
