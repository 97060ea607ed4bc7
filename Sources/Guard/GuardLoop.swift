internal import Control
package import Linux
package import Permission
internal import PipeWire

/// The main loop of the guard. It waits for the sound server, for decisions and for answers, and
/// carries out the steps of the rules.
package final class GuardLoop {
  /// The source of all decisions. It does not wait for the lock of the permission store.
  var authority: Authority
  let host: any GuardHost
  private let signals: Signals
  var rules: GuardRules
  private var watch: DecisionWatch
  var socket: GuardSocket
  var sound: GuardedServer
  var desktop: GuardDesktop
  var decisions = GuardDecisions()
  /// A timer for the grant that ends first. The time limit of a wait would not include the time
  /// while the machine sleeps.
  private let expiry: Timer
  var changes = GuardChanges()
  /// The sessions that may have a grant. Each is a connection to the sound server.
  var sessions: Set<SessionID>
  var mustStop = false
  /// Whether the last steps changed the access of a connection. The loop then continues without a
  /// wait.
  private var mustFollow = false
  var published: GuardStatus?

  /// Prepares a guard. Throws if another guard is running.
  ///
  /// - Parameter signals: the signals that end the guard. They are blocked before the connection to
  ///   the sound server starts its threads, because new threads inherit the blocked signals.
  package init(
    _ mode: GuardMode, _ authority: Authority, _ signals: consuming Signals, _ host: any GuardHost
  ) throws {
    self.authority = authority.waiting(upTo: .zero)
    self.signals = signals
    self.host = host
    rules = GuardRules(mode)
    socket = try GuardSocket()
    watch = try DecisionWatch(authority, of: .program)
    // The sessions of the grants that an earlier guard has left.
    sessions = Set((authority.store(of: .program).read().ledger?.sessionGrants ?? [:]).keys)
    sound = try GuardedServer()
    desktop = GuardDesktop()
    expiry = try Timer(on: GuardDecisions.clock)
    self.authority.portal = desktop.portal
  }

  /// Guards until a signal or a request ends it.
  package func run() {
    reportPortal()
    while !mustStop, signals.next() == nil {
      mustFollow = false
      if let news = sound.connect() { host.show(news) }
      sound.read()
      let used = sound.uses()
      let steps = steps(used, sound.nodes)
      if sound.hasScript { sound.write(permitted(used), rules.mode) }
      for step in steps { carryOut(step) }
      endSessions()
      makeChanges()
      if mustFollow { continue }
      publish()
      wait()
      makeChanges()
    }
    // Ends all uses, and withdraws the questions. The decisions in the sound server remain.
    for step in steps([:], [:]) + rules.takeRefusals() { carryOut(step) }
    authority = authority.waiting(upTo: GuardChanges.patience)
    makeChanges()
  }

  private func wait() {
    var poll = Poll(capacity: 80)
    poll.add(signals.descriptor.number)
    sound.enlist(in: &poll)
    watch.enlist(in: &poll)
    desktop.enlist(in: &poll)
    poll.add(expiry.descriptor.number)
    if let end = decisions.expiry { try? expiry.set(at: end) }
    let left = deadline.map { max(.zero, $0 - KernelClock.monotonic.now) }
    socket.server.serve(beside: &poll, upTo: left) { answer($1, $0) }
    expiry.clear()
    if watch.noticesChange(poll) {
      decisions.forget()
      desktop.readPortal()
    }
    if watch.isCheckDue() { decisions.forget() }
    for answer in desktop.answers() { _ = take(answer.question, answer.answer, nil) }
    for (program, isAllowed, reason) in desktop.takeUnstored() {
      host.show(.noPortal(.absent(reason)))
      changes.add(.keep(program, isAllowed, reason), at: KernelClock.monotonic.now)
    }
    if desktop.portal != authority.portal { followPortal() }
  }

  /// The time of the next step if no event comes earlier.
  private var deadline: Duration? {
    [
      rules.deadline, sound.retry, sound.deadline, changes.retry, watch.nextCheck,
      socket.server.deadline,
    ].compactMap(\.self).min()
  }
}

extension GuardLoop {
  func followPortal() {
    let isReported = desktop.portal.fault == authority.portal.fault
    authority.portal = desktop.portal
    decisions.forget()
    if !isReported { reportPortal() }
  }

  private func reportPortal() {
    if let fault = authority.portal.fault { host.show(.noPortal(fault)) }
  }

  private func steps(_ used: [Graph.Use: UsedLinks], _ nodes: [UInt32: String]) -> [GuardStep] {
    decisions.forget(unless: sound.sessions, at: GuardDecisions.clock.now)
    return rules.follow(used, nodes: nodes, at: KernelClock.monotonic.now) { use in
      let program = sound.program(of: use.client)
      let mayAsk = decision(on: use, by: program).noPrompt == nil
      // A use of the server or of recorder may have been cut before its client was known.
      let isGuarded = sound.isGuarded(use.client)
      return (program, isGuarded ? status(of: use, by: program) : .authorized, mayAsk)
    }
  }

  /// Returns the permitted services of each client in `used`, for the script of the sound server.
  private func permitted(_ used: [Graph.Use: UsedLinks]) -> [UInt32: Set<Service>] {
    var permitted: [UInt32: Set<Service>] = [:]
    for use in used.keys.sorted(by: { $0.node < $1.node }) where permitted[use.client] == nil {
      let program = sound.program(of: use.client)
      permitted[use.client] = Set(
        Service.allCases.filter { service in
          var use = use
          use.isPlayed = service == .systemAudio
          return status(of: use, by: program) == .authorized
        })
    }
    return permitted
  }

  private func status(of use: Graph.Use, by program: GuardedProgram) -> AuthorizationStatus {
    let status = decision(on: use, by: program).status
    return decisions.isUnlogged(program.query(use)) ? .denied : status
  }

  private func decision(on use: Graph.Use, by program: GuardedProgram) -> Decision {
    decisions.decision(on: program.query(use), at: GuardDecisions.clock.now, authority.decide)
  }

  private func carryOut(_ step: GuardStep) {
    switch step {
    case .cut(let link): sound.cut(link)
    case .restore(let link, let use): sound.restore(link, of: use)
    case .ask(let question): ask(question)
    case .withdraw(let number): desktop.withdraw(number)
    case .expire(let question): expire(question)
    case .began(let use, let program, let device):
      begin(use, program, device)
    case .ended(let use, let program, let device, let time):
      record(.stop, use, program, device) { $0.duration = time }
    case .refused(let use, let program, let device, let count):
      record(.refuse, use, program, device) { if count > 1 { $0.count = count } }
    }
  }

  /// Logs the beginning of a use. If that fails, and a policy requires the log, the connection is
  /// refused.
  private func begin(_ use: Graph.Use, _ program: GuardedProgram, _ device: String) {
    if record(.start, use, program, device) { return consume(use, program) }
    let query = program.query(use)
    guard authority.situation(query).policies.requiresAudit != nil
    else { return consume(use, program) }
    decisions.refuse(unlogged: query)
    mustFollow = true
  }

  /// Turns a grant for one recording into a grant for this connection.
  private func consume(_ use: Graph.Use, _ program: GuardedProgram) {
    let query = program.query(use)
    guard let session = query.session, decision(on: use, by: program).reason == .once
    else { return }
    sessions.insert(session)
    changes.add(.consume(query, session, program), at: KernelClock.monotonic.now)
  }

  /// Removes the grants of the connections that have ended. Without a connection to the server, the
  /// guard does not know which these are.
  private func endSessions() {
    guard sound.isConnected else { return }
    for session in sessions.subtracting(sound.sessions) {
      sessions.remove(session)
      changes.add(.end(session), at: KernelClock.monotonic.now)
    }
  }

  /// Asks the user on the desktop. The host also reports every question, because a hanging desktop
  /// does not show it.
  private func ask(_ question: GuardQuestion) {
    let (summary, details) = host.words(for: question)
    desktop.ask(question.number, summary, details, host.buttons)
    host.show(.question(question))
  }

  /// Withdraws a question without an answer, and reports the refusal.
  private func expire(_ question: GuardQuestion) {
    desktop.withdraw(question.number)
    let (summary, details) = host.words(forUnanswered: question)
    desktop.report(summary, details)
    host.show(.unanswered(question))
  }

  /// Adds a line to the log. Returns whether that succeeded. A success ends the refusals of
  /// unlogged uses. But a use that was refused in the same steps stays refused until the next steps
  /// have cut its links.
  @discardableResult
  private func record(
    _ kind: AuditEvent.Kind, _ use: Graph.Use, _ program: GuardedProgram, _ device: String,
    adding facts: (inout AuditEvent) -> Void = { _ in }
  ) -> Bool {
    let query = program.query(use, of: device)
    let failure = authority.acting(for: program.process)
      .record(kind, query, [decision(on: use, by: program)], adding: facts)
    if let failure {
      host.show(.incompleteLog(failure))
    } else if !mustFollow, decisions.acceptUnlogged() {
      mustFollow = true
    }
    return failure == nil
  }
}
