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
    let links: Set<Graph.Link>
  }

  /// A stream and the service that its program wants, whatever the device.
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
  private var questions: [Subject: GuardQuestion] = [:]
  /// The times at which questions were closed without an answer, within the last pause.
  private var unanswered: [Subject: Duration] = [:]
  private var refusals = GuardRefusals()
  private var asked = 0

  /// The time for an answer. Later the program counts as refused.
  package static let patience = Duration.seconds(60)
  /// The time after which an unanswered question is asked again.
  private static let pause = Duration.seconds(600)
  /// The number of open questions above which further programs are refused. A program can start any
  /// number of copies of itself, which count as other programs.
  static let mostQuestions = 20
  /// The rules before the first graph.
  package init(_ mode: GuardMode) { self.mode = mode }

  /// The open questions, the oldest first.
  package var openQuestions: [GuardQuestion] { questions.values.sorted { $0.number < $1.number } }

  /// The running uses with their devices, in the order of their nodes. The mode `log` allows all.
  package var allowed: [(use: Graph.Use, program: GuardedProgram, device: String)] {
    running.sorted { $0.key.node < $1.key.node }
      .map { (use: $0.key, program: $0.value.program, device: $0.value.device) }
  }

  /// The time of the next step without a change of the graph, or nil if there is none.
  package var deadline: Duration? {
    (questions.values.map(\.deadline) + [refusals.deadline].compactMap(\.self)).min()
  }
}

extension GuardRules {
  /// Returns the steps for a graph.
  ///
  /// - Parameters:
  ///   - used: the uses, with their links.
  ///   - nodes: all existing nodes. The links of removed nodes are not restored.
  ///   - look: returns the program of a connection and its access. Called once for each use.
  package mutating func follow(
    _ used: [Graph.Use: UsedLinks], nodes: Set<UInt32>, at now: Duration,
    _ look: (Graph.Use) -> GuardedAccess
  ) -> [GuardStep] {
    var steps = end(unless: used, nodes, now)
    let former = Set(held.map { Attempt($0.key, $0.value.program) })
    var open: Set<Subject> = []
    for use in Set(used.keys).union(held.keys).sorted(by: { $0.node < $1.node }) {
      let access = look(use)
      if let found = used[use] {
        if access.status == .authorized || mode == .log {
          if !found.links.isEmpty { steps += begin(use, access.program, found.device, now) }
        } else {
          let isKnown = found.links.isEmpty && former.contains(Attempt(use, access.program))
          steps += cut(use, found, access, isKnown: isKnown, now)
        }
      }
      guard let program = held[use]?.program else { continue }
      if access.status == .authorized, !used.isLinked(use) { steps += restore(use) }
      if asks(about: access) { open.insert(Subject(use.service, program.client)) }
    }
    steps += close(unless: open, at: now)
    return steps + refusals.log(at: now)
  }

  /// Returns whether the user is asked about a program before it gets sound.
  private func asks(about access: GuardedAccess) -> Bool {
    mode == .ask && access.status == .notDetermined && access.mayAsk
  }

  private mutating func begin(
    _ use: Graph.Use, _ program: GuardedProgram, _ device: String, _ now: Duration
  ) -> [GuardStep] {
    if let known = running[use], known.program.session == program.session { return [] }
    // Another connection may have the same numbers.
    let former = end(use, now)
    running[use] = Running(program: program, device: device, began: now)
    held[use] = nil
    let refused = refusals.take(Subject(use.service, program.client))
    return former + [refused, .began(use, program, device: device)].compactMap(\.self)
  }

  /// - Parameter isKnown: whether this program already waited with the same stream. A program that
  ///   was unknown then and is identified now counts as new.
  private mutating func cut(
    _ use: Graph.Use, _ found: UsedLinks, _ access: GuardedAccess, isKnown: Bool, _ now: Duration
  ) -> [GuardStep] {
    let program = access.program
    var steps = found.links.keys.sorted().map(GuardStep.cut)
    steps += end(use, now)
    let isNew = !isKnown && held[use].map { $0.program.client != program.client } ?? true
    let links = (held[use]?.links ?? []).union(found.links.values)
    held[use] = Held(program: program, device: found.device, links: links)
    if asks(about: access) {
      let subject = Subject(use.service, program.client)
      if questions[subject] != nil || isKnown { return steps }
      if unanswered[subject] == nil, questions.count < Self.mostQuestions {
        return steps + [.ask(ask(subject, use, program, found.device, now))]
      }
    }
    return isNew ? steps + refusals.add(use, program, found.device, at: now) : steps
  }

  private mutating func ask(
    _ subject: Subject, _ use: Graph.Use, _ program: GuardedProgram, _ device: String,
    _ now: Duration
  ) -> GuardQuestion {
    asked += 1
    let question = GuardQuestion(
      number: asked, program: program, use: use, device: device, deadline: now + Self.patience)
    questions[subject] = question
    return question
  }

  /// Returns the refusals that are not logged yet, when the guard ends.
  package mutating func takeRefusals() -> [GuardStep] { refusals.takeAll() }

  private mutating func restore(_ use: Graph.Use) -> [GuardStep] {
    guard let held = held[use] else { return [] }
    self.held[use] = nil
    return held.links.sorted { ($0.input, $0.output) < ($1.input, $1.output) }
      .map(GuardStep.restore)
  }
}

extension GuardRules {
  /// Ends the uses that have no link any more, and forgets the nodes that do not exist.
  private mutating func end(
    unless used: [Graph.Use: UsedLinks], _ nodes: Set<UInt32>, _ now: Duration
  ) -> [GuardStep] {
    held = held.filter { nodes.contains($0.key.node) }
    unanswered = unanswered.filter { now - $0.value <= Self.pause }
    return running.keys.filter { !used.isLinked($0) }.sorted { $0.node < $1.node }
      .flatMap { end($0, now) }
  }

  private mutating func end(_ use: Graph.Use, _ now: Duration) -> [GuardStep] {
    guard let ended = running.removeValue(forKey: use) else { return [] }
    return [.ended(use, ended.program, device: ended.device, now - ended.began)]
  }

  /// Closes the questions that are too old, and the questions about programs that no longer wait
  /// for a decision.
  ///
  /// - Parameter open: the undecided programs that still wait.
  private mutating func close(unless open: Set<Subject>, at now: Duration) -> [GuardStep] {
    var steps: [GuardStep] = []
    let waiting = Set(held.map { Subject($0.key.service, $0.value.program.client) })
    for (subject, question) in questions.sorted(by: { $0.value.number < $1.value.number }) {
      if open.contains(subject), now < question.deadline { continue }
      questions[subject] = nil
      steps.append(.withdraw(question.number))
      if now >= question.deadline { unanswered[subject] = now }
      if now >= question.deadline || waiting.contains(subject) {
        steps += refusals.add(question.use, question.program, question.device, at: now)
      }
    }
    return steps
  }

  /// Closes a question that was answered, and returns it. Returns nil if no open question has this
  /// number.
  package mutating func take(_ number: Int) -> GuardQuestion? {
    guard let found = questions.first(where: { $0.value.number == number }) else { return nil }
    questions[found.key] = nil
    return found.value
  }
}

extension [Graph.Use: UsedLinks] {
  fileprivate func isLinked(_ use: Graph.Use) -> Bool { self[use]?.links.isEmpty == false }
}

extension Graph.Use {
  /// The service that the use needs.
  package var service: Service { isPlayed ? .systemAudio : .microphone }
}
