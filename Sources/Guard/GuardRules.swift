package import Permission
package import PipeWire

/// The state of a guard. It decides on steps, but does not carry them out.
package struct GuardRules: Sendable {
  /// The mode of a guard: how it treats programs without permission.
  package let mode: GuardMode

  private struct Running: Sendable {
    let program: GuardedProgram
    let device: String
    let began: Duration
  }

  private struct Held: Sendable {
    let program: GuardedProgram
    let device: String
    var links: Set<Graph.Link>
    /// The serial number of the node that delivers the sound.
    let source: String?
    /// The serial number of the stream.
    let node: String?
    /// Whether the attempt waits for an answer. If not, its refusal was logged.
    var isOpen: Bool
  }

  /// A stream and its service, on any device.
  private struct Stream: Hashable {
    let node: UInt32
    let isPlayed: Bool

    init(_ use: Graph.Use) { (node, isPlayed) = (use.node, use.isPlayed) }
  }

  /// An attempt to record: a stream and the service that it needs, from any device.
  private struct Attempt: Hashable {
    let session: SessionID?
    let node: UInt32
    let subject: Subject

    init(_ use: Graph.Use, _ program: GuardedProgram) {
      session = program.session
      node = use.node
      subject = Subject(use.service, program.client)
    }
  }

  private var running: [Graph.Use: Running] = [:]
  /// The uses without permission: their links were cut, or the script keeps them waiting.
  private var held: [Graph.Use: Held] = [:]
  /// The serial numbers of the nodes in the current graph. Unlike serial numbers, node numbers are
  /// reused.
  private var serials: [UInt32: String] = [:]
  private var questions = GuardQuestions()
  private var refusals = GuardRefusals()

  /// Creates the state of a new guard, without uses and questions.
  package init(_ mode: GuardMode) { self.mode = mode }

  /// The open questions, the oldest first.
  package var openQuestions: [GuardQuestion] { questions.sorted }

  /// The running uses with their devices, in the order of their nodes. The mode `log` allows all.
  package var allowed: [(use: Graph.Use, program: GuardedProgram, device: String)] {
    running.sorted { $0.key.node < $1.key.node }
      .map { (use: $0.key, program: $0.value.program, device: $0.value.device) }
  }

  /// The time of the next step if the graph does not change earlier, or nil if there is none.
  package var deadline: Duration? {
    [questions.deadline, refusals.deadline].compactMap(\.self).min()
  }
}

extension GuardRules {
  /// Returns the steps for a graph, beginning with the links to cut.
  ///
  /// - Parameters:
  ///   - used: the uses, with their links.
  ///   - nodes: the serial numbers of all nodes. The links of removed nodes are not restored.
  ///   - look: returns the program of a connection and its access. Called once for each use.
  package mutating func follow(
    _ used: [Graph.Use: UsedLinks], nodes: [UInt32: String], at now: Duration,
    _ look: (Graph.Use) -> GuardedAccess
  ) -> [GuardStep] {
    serials = nodes
    var steps = end(unless: used, now)
    let former = Dictionary(
      held.map { (Attempt($0.key, $0.value.program), $0.value.isOpen) },
      uniquingKeysWith: { $0 && $1 })
    var open: [Subject: Set<Graph.Use>] = [:]
    for use in Set(used.keys).union(held.keys).sorted(by: { $0.node < $1.node }) {
      let access = look(use)
      let isLinked = used.isLinked(use)
      if access.status == .authorized || mode == .log {
        if isLinked, let found = used[use] {
          steps += begin(use, access.program, found.device, now)
        } else {
          steps += restore(use)
        }
        continue
      }
      let wasOpen = isLinked ? nil : former[Attempt(use, access.program)]
      steps += hold(use, used[use], access.program, wasOpen: wasOpen, now)
      // Without a session, the server has not sent the details of the client yet. It may be recorder
      // itself.
      if access.program.session == nil { continue }
      steps += settle(use, access, isLinked: isLinked, now)
      if held[use]?.isOpen == true, asks(about: access) {
        open[Subject(use.service, access.program.client), default: []].insert(use)
      }
    }
    steps += close(unless: open, at: now) + refusals.log(at: now)
    // The links are cut first, because the other steps write to the disk.
    return steps.filter(\.isCut) + steps.filter { !$0.isCut }
  }

  /// Returns whether the user is asked about a program before it gets sound.
  private func asks(about access: GuardedAccess) -> Bool {
    mode == .ask && access.status == .notDetermined && access.mayAsk
  }

  private mutating func begin(
    _ use: Graph.Use, _ program: GuardedProgram, _ device: String, _ now: Duration
  ) -> [GuardStep] {
    var (former, began): ([GuardStep], Duration) = ([], now)
    if let known = running[use] {
      let isSame = known.program.client == program.client
      if isSame, known.program.session == program.session { return [] }
      // If the known program has no session, the server had not sent the details of its client yet,
      // and the same use continues. Otherwise another connection has the same numbers, or the
      // program of the connection has changed, so the known use has ended.
      if known.program.session == nil { began = known.began } else { former = end(use, now) }
    }
    running[use] = Running(program: program, device: device, began: began)
    held[use] = nil
    return program.session == nil ? former : former + logged(use, program, device)
  }

  /// Returns the step that logs the beginning of a use, after a step for the counted refusals of
  /// its program.
  private mutating func logged(
    _ use: Graph.Use, _ program: GuardedProgram, _ device: String
  ) -> [GuardStep] {
    let refused = refusals.take(Subject(use.service, program.client))
    return [refused, .began(use, program, device: device)].compactMap(\.self)
  }

  /// Removes the links of a use without permission, and stores them.
  ///
  /// - Parameter wasOpen: whether this attempt already waited for an answer, for this or another
  ///   device, or nil if the attempt is new. If the program is identified only now, the attempt
  ///   counts as new.
  private mutating func hold(
    _ use: Graph.Use, _ found: UsedLinks?, _ program: GuardedProgram, wasOpen: Bool?,
    _ now: Duration
  ) -> [GuardStep] {
    let links = found?.links ?? [:]
    let known = held[use]
    let isSame = known.map { Attempt(use, $0.program) == Attempt(use, program) } ?? false
    held[use] = Held(
      program: program, device: found?.device ?? known?.device ?? "",
      links: (known?.links ?? []).union(links.values), source: serials[use.source],
      node: serials[use.node],
      isOpen: (isSame ? known?.isOpen : wasOpen) ?? true)
    return links.keys.sorted().map(GuardStep.cut) + end(use, now)
  }

  /// Asks about a held use, or logs its refusal. Does nothing if the question, or the line in the
  /// log, already exists.
  private mutating func settle(
    _ use: Graph.Use, _ access: GuardedAccess, isLinked: Bool, _ now: Duration
  ) -> [GuardStep] {
    let subject = Subject(use.service, access.program.client)
    guard let found = held[use], questions[subject] == nil else { return [] }
    if asks(about: access), found.isOpen || isLinked, questions.canAsk(about: subject, at: now) {
      held[use]?.isOpen = true
      let deadline = now + GuardQuestion.patience
      return [.ask(questions.ask(use, found.program, found.device, until: deadline))]
    }
    return refuse([use], now)
  }

  /// Logs the refusal of the uses that wait for an answer, as one attempt.
  private mutating func refuse(_ uses: [Graph.Use], _ now: Duration) -> [GuardStep] {
    let open = uses.filter { held[$0]?.isOpen == true }
    for use in open { held[use]?.isOpen = false }
    guard let use = open.first, let found = held[use] else { return [] }
    return refusals.add(use, found.program, found.device, at: now)
  }

  /// Returns the steps that log the remaining refusals when the guard ends.
  package mutating func takeRefusals() -> [GuardStep] { refusals.takeAll() }

  private mutating func restore(_ use: Graph.Use) -> [GuardStep] {
    guard let held = held[use] else { return [] }
    self.held[use] = nil
    return held.links.sorted { ($0.input, $0.output) < ($1.input, $1.output) }
      .map { .restore($0, of: use) }
  }
}

extension GuardRules {
  /// Ends the uses that have no link any more. Forgets the links that must not be restored. A
  /// program that has disconnected before the answer counts as refused.
  private mutating func end(
    unless used: [Graph.Use: UsedLinks], _ now: Duration
  ) -> [GuardStep] {
    var steps: [GuardStep] = []
    let linked = Set(used.filter { !$0.value.links.isEmpty }.keys.map(Stream.init))
    for (use, found) in held.sorted(by: { $0.key.node < $1.key.node }) {
      if serials[use.node] != found.node {
        steps += refuse([use], now)
        held[use] = nil
      } else if used[use] == nil, linked.contains(Stream(use)) {
        // The stream has links from another device now.
        held[use] = nil
      } else if serials[use.source] != found.source {
        held[use]?.links = []
      }
    }
    questions.forgetUnanswered(at: now)
    return steps
      + running.keys.filter { !used.isLinked($0) }.sorted { $0.node < $1.node }
      .flatMap { end($0, now) }
  }

  private mutating func end(_ use: Graph.Use, _ now: Duration) -> [GuardStep] {
    guard let ended = running.removeValue(forKey: use) else { return [] }
    let began = ended.program.session == nil ? logged(use, ended.program, ended.device) : []
    return began + [.ended(use, ended.program, device: ended.device, now - ended.began)]
  }

  /// Closes the questions that are too old, and the questions about programs that no longer wait
  /// for a decision.
  ///
  /// - Parameter open: the waiting uses of each undecided program. If the use that a question is
  ///   about has ended, the question is moved to another of these uses.
  private mutating func close(
    unless open: [Subject: Set<Graph.Use>], at now: Duration
  ) -> [GuardStep] {
    var steps: [GuardStep] = []
    for question in questions.sorted {
      let waiting = open[question.subject] ?? []
      let isLate = !waiting.isEmpty && now >= question.deadline
      if !waiting.isEmpty, !isLate {
        if !waiting.contains(question.use), let use = waiting.min(by: { $0.node < $1.node }),
          let found = held[use]
        {
          questions.move(question, to: use, found.program, found.device)
        }
        continue
      }
      questions.close(question, unansweredAt: now, isLate: isLate)
      steps.append(isLate ? .expire(question) : .withdraw(question.number))
      steps += refuse(uses(of: question.subject), now)
    }
    return steps
  }

  /// Returns the held uses of a program.
  private func uses(of subject: Subject) -> [Graph.Use] {
    held.filter { Subject($0.key.service, $0.value.program.client) == subject }.keys
      .sorted { $0.node < $1.node }
  }

  /// Closes a question that was answered, and returns it. Returns nil if no open question has this
  /// number. If uses of the program still have no permission, the user is asked about them again.
  ///
  /// - Parameter isRefused: whether the answer refuses the program. Then its uses need no further
  ///   line in the log.
  package mutating func take(_ number: Int, isRefused: Bool = false) -> GuardQuestion? {
    guard let found = questions.sorted.first(where: { $0.number == number }) else { return nil }
    questions.close(found)
    if isRefused { for use in uses(of: found.subject) { held[use]?.isOpen = false } }
    return found
  }
}

extension [Graph.Use: UsedLinks] {
  fileprivate func isLinked(_ use: Graph.Use) -> Bool { self[use]?.links.isEmpty == false }
}

extension Graph.Use {
  /// The service that the use needs.
  package var service: Service { isPlayed ? .systemAudio : .microphone }
}
