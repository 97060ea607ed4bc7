package import Permission
package import PipeWire

/// What a guard does with the programs that have no permission.
package enum GuardMode: String, CaseIterable, Sendable {
  /// Asks about undecided programs. They get no sound before the answer.
  case ask
  /// Refuses undecided programs.
  case deny
  /// Cuts nothing off, and logs every use.
  case log
}

/// The links of a use, as the server has them now.
package struct UsedLinks: Hashable, Sendable {
  /// The links, by their numbers; none if the program waits for them.
  package var links: [UInt32: Graph.Link]
  /// The description of the device.
  package var device: String

  /// Creates the description of the links.
  package init(_ links: [UInt32: Graph.Link], of device: String) {
    (self.links, self.device) = (links, device)
  }
}

/// An answer to a question.
package enum GuardAnswer: String, CaseIterable, Sendable {
  case once, always, never
}

/// A step that the guard has to carry out.
package enum GuardStep: Hashable, Sendable {
  /// Removes the link with this number.
  case cut(UInt32)
  /// Creates a link that was cut.
  case restore(Graph.Link)
  case ask(GuardQuestion)
  /// The question needs no answer any more.
  case withdraw(Int)
  /// A program began to use a service.
  case began(Graph.Use, GuardedProgram, device: String)
  /// A program ended its use after this time.
  case ended(Graph.Use, GuardedProgram, device: String, Duration)
  /// A program was refused. The number is above 1 if several refusals came at once.
  case refused(Graph.Use, GuardedProgram, device: String, Int)
}

/// The state of a guard. It decides on steps, and carries out none of them.
package struct GuardRules: Sendable {
  /// What happens to programs without permission.
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

  /// The refusals of a program since the last one in the log.
  private struct Refusals: Sendable {
    let logged: Duration
    var last: GuardStep?
    var count = 0
  }

  private var running: [Graph.Use: Running] = [:]
  /// The uses whose links were cut.
  private var held: [Graph.Use: Held] = [:]
  private var questions: [Subject: GuardQuestion] = [:]
  /// When each question was closed without an answer.
  private var unanswered: [Subject: Duration] = [:]
  private var refusals: [Subject: Refusals] = [:]
  private var asked = 0

  /// The time for an answer. Later the program counts as refused.
  package static let patience = Duration.seconds(60)
  /// The time after which an unanswered question is asked again.
  private static let pause = Duration.seconds(600)
  /// The time between two logged refusals of one program.
  private static let refusalPace = Duration.seconds(1)

  /// The rules before the first look at the graph.
  package init(_ mode: GuardMode) { self.mode = mode }

  /// The open questions, the oldest first.
  package var openQuestions: [GuardQuestion] { questions.values.sorted { $0.number < $1.number } }

  /// The uses that are allowed now, with their devices, in the order of their nodes.
  package var allowed: [(use: Graph.Use, program: GuardedProgram, device: String)] {
    running.sorted { $0.key.node < $1.key.node }
      .map { (use: $0.key, program: $0.value.program, device: $0.value.device) }
  }

  /// The time of the next step without a change of the graph, or nil if there is none.
  package var deadline: Duration? {
    let logs = refusals.values.filter { $0.count > 0 }.map { $0.logged + Self.refusalPace }
    return (questions.values.map(\.deadline) + logs).min()
  }
}

extension GuardRules {
  /// Returns the steps for a graph.
  ///
  /// - Parameters:
  ///   - used: the uses, with their links.
  ///   - nodes: all nodes that exist. The links of others are not restored.
  ///   - look: returns the program of a connection and its access.
  package mutating func follow(
    _ used: [Graph.Use: UsedLinks], nodes: Set<UInt32>, at now: Duration,
    _ look: (Graph.Use) -> GuardedAccess
  ) -> [GuardStep] {
    var steps = end(unless: used, nodes, now)
    for (use, found) in used.sorted(by: { $0.key.node < $1.key.node }) {
      let access = look(use)
      if access.status == .authorized || mode == .log {
        if !found.links.isEmpty { steps += begin(use, access.program, found.device, now) }
      } else {
        steps += cut(use, found, access, now)
      }
    }
    for use in held.keys.sorted(by: { $0.node < $1.node })
    where !used.isLinked(use) && look(use).status == .authorized {
      steps += restore(use)
    }
    return steps + close(at: now, look) + countedRefusals(at: now)
  }

  /// Returns whether the user is asked about a program before it gets sound.
  private func asks(about access: GuardedAccess) -> Bool {
    mode == .ask && access.status == .notDetermined && access.mayAsk
  }

  private mutating func begin(
    _ use: Graph.Use, _ program: GuardedProgram, _ device: String, _ now: Duration
  ) -> [GuardStep] {
    guard running[use] == nil else { return [] }
    running[use] = Running(program: program, device: device, began: now)
    held[use] = nil
    return [.began(use, program, device: device)]
  }

  private mutating func cut(
    _ use: Graph.Use, _ found: UsedLinks, _ access: GuardedAccess, _ now: Duration
  ) -> [GuardStep] {
    let program = access.program
    var steps = found.links.keys.sorted().map(GuardStep.cut)
    steps += end(use, now)
    // A program that could not be identified before begins again.
    let isWaiting =
      found.links.isEmpty
      && held.contains { $0.isAttempt(of: use) && $1.program.client == program.client }
    let isNew = !isWaiting && held[use].map { $0.program.client != program.client } ?? true
    let links = (held[use]?.links ?? []).union(found.links.values)
    held[use] = Held(program: program, device: found.device, links: links)
    if asks(about: access) {
      let subject = Subject(use.service, program.client)
      if questions[subject] != nil || isWaiting { return steps }
      if unanswered[subject].map({ now - $0 > Self.pause }) ?? true {
        return steps + [.ask(ask(subject, use, program, found.device, now))]
      }
    }
    return isNew ? steps + refuse(use, program, found.device, now) : steps
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

  /// Logs a refusal, unless one of the same program was logged less than a second ago. Then it is
  /// counted, and logged when that second is over.
  private mutating func refuse(
    _ use: Graph.Use, _ program: GuardedProgram, _ device: String, _ now: Duration
  ) -> [GuardStep] {
    let subject = Subject(use.service, program.client)
    guard refusals[subject] != nil else {
      refusals[subject] = Refusals(logged: now)
      return [.refused(use, program, device: device, 1)]
    }
    refusals[subject]?.count += 1
    let count = refusals[subject]?.count ?? 1
    refusals[subject]?.last = .refused(use, program, device: device, count)
    return []
  }

  private mutating func countedRefusals(at now: Duration) -> [GuardStep] {
    var steps: [GuardStep] = []
    for (subject, found) in refusals where now - found.logged >= Self.refusalPace {
      refusals[subject] = found.count > 0 ? Refusals(logged: now) : nil
      if let last = found.last { steps.append(last) }
    }
    return steps
  }

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
    return running.keys.filter { !used.isLinked($0) }.sorted { $0.node < $1.node }
      .flatMap { end($0, now) }
  }

  private mutating func end(_ use: Graph.Use, _ now: Duration) -> [GuardStep] {
    guard let ended = running.removeValue(forKey: use) else { return [] }
    return [.ended(use, ended.program, device: ended.device, now - ended.began)]
  }

  /// Closes the questions that are too old, about which something was decided, and that a policy
  /// forbids.
  private mutating func close(
    at now: Duration, _ look: (Graph.Use) -> GuardedAccess
  ) -> [GuardStep] {
    var steps: [GuardStep] = []
    for (subject, question) in questions.sorted(by: { $0.value.number < $1.value.number }) {
      let waiting = held.keys.filter { use in
        use.service == subject.service && held[use]?.program.client == subject.client
      }
      let isOpen = waiting.contains { asks(about: look($0)) }
      if isOpen, now < question.deadline { continue }
      questions[subject] = nil
      steps.append(.withdraw(question.number))
      if now >= question.deadline { unanswered[subject] = now }
      if now >= question.deadline || !waiting.isEmpty {
        steps += refuse(question.use, question.program, question.device, now)
      }
    }
    return steps
  }

  /// Closes a question that was answered, and returns it. Nil if there is no such question.
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
  /// Whether another use is of the same node, perhaps with another device.
  fileprivate func isAttempt(of use: Graph.Use) -> Bool {
    node == use.node && service == use.service
  }

  /// The service that the use needs.
  package var service: Service { isPlayed ? .systemAudio : .microphone }
}
