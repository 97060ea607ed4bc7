internal import Audio
package import Control
package import Devices
package import Linux
package import Permission
internal import Synchronization

/// Lets a session begin only with microphone access, and reports at once when it is lost.
package final class PermissionGuard {
  private let authority: Authority
  private let asked: AccessQuery
  private let card: ListenedCard
  /// The device, as it was typed.
  private let name: String
  /// The reason why the audit has no entry of the start; nil where it has one.
  package private(set) var unaudited: StoreFailure?
  /// True if the user allowed this recording where no answer can be stored; a stored answer
  /// overrides it.
  private var isAllowedAlone: Bool
  private var watch: DecisionWatch
  /// The time at which the permission expires, on the monotonic clock, as of the last check.
  package private(set) var deadline: Duration?
  private var hasStarted = false
  /// The files and directories that decide, beside those of policies.
  private let decisive: [String]
  /// The traces of everything that decides, as of the last check that was due.
  private var traces: AccessTraces?

  /// Starts to watch before anything is read, so that no change is missed.
  package init(_ plan: RecordingPlan, _ session: SessionID) throws(TakeError) {
    do throws(DirectoryRefusal) {
      authority = try Authority.current()
    } catch {
      throw .permission(.unreadable(error))
    }
    decisive = authority.store.files + authority.store.watched
    do throws(SystemError) {
      watch = try DecisionWatch(authority)
    } catch {
      throw .permission(.unwatchable(error))
    }
    let name = plan.capture.device
    self.name = name
    card = ListenedCard { RequestedDevice(resolving: name) }
    var asked = AccessQuery(client: try Self.client(of: plan), session: session)
    asked.deviceName = name
    asked.output = plan.output.path
    self.asked = asked
    // The plan comes from another process: an answer that can be stored counts only once it is.
    isAllowedAlone = plan.isAllowedAlone && !authority.store.canStore()
  }

  /// The present query, with the card that the device resolves to.
  private var query: AccessQuery {
    var query = asked
    query.device = card.found
    return query
  }

  /// Checks whether a disconnected device may be reopened: another card may have its name now.
  package var reopening: @Sendable (OpenedCard?) -> Bool {
    let (authority, card, asked, name) = (authority, card, asked, name)
    return { opened in
      guard card.lookAgain() != nil else { return false }
      let device = RequestedDevice(opened: opened, by: name)
      card.take(opened: device)
      var query = asked
      query.device = device
      return [.authorized, .notDetermined].contains(authority.decide(query).status)
    }
  }

  private static func client(of plan: RecordingPlan) throws(TakeError) -> Client {
    guard let name = plan.client else { return .everyone }
    if let client = Client(name) { return client }
    throw .unknownClient(name)
  }

  /// The time since 1970 at which the permission expires, in whole seconds, as of the last check; nil
  /// where it does not.
  package var accessUntil: Duration? {
    deadline.map { deadline in
      let end = KernelClock.realTime.now + (deadline - KernelClock.monotonic.now)
      return .seconds((end + .milliseconds(500)).components.seconds)
    }
  }

  /// Adds the descriptors that end a wait when the permission may have changed.
  package func enlist(in poll: inout Poll) { watch.enlist(in: &poll) }

  /// Whether every change of the files that decide ends a wait.
  var isToldOfAll: Bool { watch.seesAll }

  /// Takes the changes that the last wait found; returns true if the access may have changed.
  func noticesChange(_ poll: borrowing Poll) -> Bool { watch.noticesChange(poll) }

  /// Looks at the files and clocks that decide; true where they changed since the last time it was true, or that
  /// is long ago. For filesystems that notify nobody, and for clocks that jump.
  func isCheckDue() -> Bool {
    let present = AccessTraces(of: decisive, authority.directories.paths, deadline)
    let longest: Duration = isToldOfAll && !present.hasPolicies ? .seconds(30) : .seconds(7)
    guard traces.map({ present.continues($0, within: longest) }) != true else { return false }
    traces = present
    return true
  }

  /// Looks again where anything has changed or a check is due; true where the access is lost.
  package func findsLoss(_ poll: borrowing Poll) -> Bool {
    (noticesChange(poll) || isCheckDue()) && loss != nil
  }

  /// Throws unless the session has microphone access now.
  package func check() throws(TakeError) {
    let decision = authority.decide(query)
    guard allows(decision) else { throw refusal(decision) }
  }

  /// Checks the card that was opened: the name may stand for another one than at the first check.
  package func check(opened device: OpenedCard?) throws(TakeError) {
    card.take(opened: RequestedDevice(opened: device, by: name))
    try check()
  }

  /// Binds a grant for one recording to this session; throws without microphone access.
  package func consume(for session: SessionID) throws(TakeError) {
    let decision: Decision
    do throws(StoreFailure) {
      decision = try authority.consume(for: session, query)
    } catch {
      throw .permission(.unusable(error))
    }
    guard allows(decision) else { throw refusal(decision) }
  }

  /// The loss of microphone access that ends the take; nil while it has access.
  package var loss: AccessLoss? {
    let decision = authority.decide(query)
    deadline = decision.remaining.map { KernelClock.monotonic.now + $0 }
    guard !allows(decision) else { return nil }
    return AccessLoss(decision: decision, account: authority.account)
  }

  /// Writes the start to the audit before the first frame. A failure is kept in `unaudited`; it
  /// throws only where an administrator requires the audit.
  package func tellStart() throws(TakeError) {
    let situation = authority.situation(query)
    if let failure = authority.tell(.start, query, situation.decide()) {
      if let file = situation.policies.requiresAudit {
        throw .permission(.auditRequired(by: file, failure))
      }
      unaudited = failure
    }
    hasStarted = true
  }

  /// Ends the session and writes its result to the audit if it began; a grant for it alone is used
  /// up.
  ///
  /// - Returns: the reason why the audit has no entry of the end; nil where it has one.
  package func end(_ session: SessionID, _ result: RecordingResult? = nil) -> StoreFailure? {
    var failure: StoreFailure?
    if hasStarted {
      failure = authority.tell(.stop, query, authority.decide(query)) { event in
        event.duration = result?.takeDuration
        event.frames = result?.takeFrames.value
        event.exit = result?.exit
      }
    }
    try? authority.end(session)
    return failure
  }

  private func allows(_ decision: Decision) -> Bool {
    // A later decision overrides the one-time answer, also after it has expired.
    if decision.status != .notDetermined { isAllowedAlone = false }
    return decision.status == .authorized || isAllowedAlone
  }

  private func refusal(_ decision: Decision) -> TakeError {
    let failure = authority.tell(.refuse, query, decision)
    return .permission(
      .refused(
        PermissionRefusal(
          decision: decision, situation: authority.situation(query), account: authority.account,
          unaudited: failure)))
  }
}

/// The traces that a change of the microphone access leaves, at the cost of a few system calls.
private struct AccessTraces {
  private let files: [FileStatus?]
  private let policies: [FileStatus?]
  private let wallTime: Duration
  private let moment: Duration
  private let deadline: Duration?

  /// True where there is a directory of policies. One in it may have a second name elsewhere, by which
  /// it is written unseen.
  var hasPolicies: Bool { policies.contains { $0 != nil } }

  init(of paths: [String], _ policies: [String], _ deadline: Duration?) {
    files = paths.map { path in try? FileStatus(of: path) }
    self.policies = policies.map { path in try? FileStatus(of: path) }
    wallTime = KernelClock.realTime.now
    moment = KernelClock.monotonic.now
    self.deadline = deadline
  }

  /// True where nothing has changed since `former`, which is not older than `longest`.
  func continues(_ former: AccessTraces, within longest: Duration) -> Bool {
    let passed = moment - former.moment
    let jump = (wallTime - former.wallTime) - passed
    return files == former.files && policies == former.policies && passed < longest
      && abs(jump / .seconds(1)) < 0.5 && deadline.map { $0 > moment } ?? true
  }
}

/// The card behind the name of a recording's device, which may be another one after a reconnection,
/// and another than the name says.
final class ListenedCard: Sendable {
  private struct State {
    /// By the name alone.
    var named: RequestedDevice
    /// By what was opened, once it is.
    var found: RequestedDevice
  }

  private let look: @Sendable () -> RequestedDevice
  private let state: Mutex<State>

  init(_ look: @escaping @Sendable () -> RequestedDevice) {
    self.look = look
    let card = look()
    state = Mutex(State(named: card, found: card))
  }

  /// The one that was found last.
  var found: RequestedDevice { state.withLock { $0.found } }

  /// Looks again; nil where a card was there and none is now, so that there is nothing to open.
  func lookAgain() -> RequestedDevice? {
    let now = look()
    return state.withLock { state in
      if now == .unresolved, state.named != .unresolved { return nil }
      state = State(named: now, found: now)
      return now
    }
  }

  /// Takes what was opened for what is asked about: ALSA's configuration of the user may put
  /// anything behind a name.
  func take(opened card: RequestedDevice) { state.withLock { $0.found = card } }
}

extension RequestedDevice {
  /// The card behind a name, by all of its names; a rule for cards never means a built-in device.
  package init(resolving name: String) {
    self.init(resolving: name, among: Self.isBuiltIn(name) ? [] : DeviceList.kernel([.capture]))
  }

  /// The card by these capture devices, which may be none.
  package init(resolving name: String, among devices: [DeviceDescription]) {
    if Self.isBuiltIn(name) {
      self = .card(names: [name])
      return
    }
    let names = devices.compactMap(\.spellings)
      .first { $0.contains(name) || $0.contains(name + ",0") }
    self = names.map { .card(names: $0) } ?? .unresolved
  }

  /// The card that was opened by a name, by all of its names; one that the driver does not tell is
  /// none that is known.
  init(opened card: OpenedCard?, by name: String) {
    guard !Self.isBuiltIn(name) else {
      self = .card(names: [name])
      return
    }
    guard let card else {
      self = .unresolved
      return
    }
    let known = DeviceList.kernel([.capture]).first { description in
      guard case .kernel(let place) = description.origin else { return false }
      return place.number == card.number && place.device == card.device
    }
    self = .card(names: known?.spellings ?? card.spellings)
  }

  private static func isBuiltIn(_ name: String) -> Bool { name.utf8.starts(with: "test:".utf8) }
}

extension DeviceDescription {
  /// All names of a kernel device; nil for any other.
  fileprivate var spellings: [String]? {
    guard case .kernel(let card) = origin else { return nil }
    let address = ["CARD=\(card.id),DEV=\(card.device)", "\(card.id),\(card.device)"]
    let opened = OpenedCard(number: card.number, device: card.device)
    return address.flatMap { ["hw:\($0)", "plughw:\($0)"] } + opened.spellings + [name]
  }
}

extension OpenedCard {
  /// Its names by number.
  fileprivate var spellings: [String] {
    ["CARD=\(number),DEV=\(device)", "\(number),\(device)"]
      .flatMap { ["hw:\($0)", "plughw:\($0)"] }
  }
}
