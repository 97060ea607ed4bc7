internal import Control
internal import JSON
internal import Linux
internal import Permission
internal import PipeWire

extension GuardLoop {
  /// Answers a request of a command.
  func answer(_ request: Request, _ ticket: Ticket) -> Answer {
    switch GuardVerb(rawValue: request.verb) {
    case .status: return .reply(.done(status.json.object ?? [:]))
    case .watch: return .watch(.done(status.json.object ?? [:]))
    case .stop:
      mustStop = true
      return .reply(.done)
    case .answer:
      guard let number = request.arguments["question"].flatMap(Int.init(json:)),
        let answer = request.arguments["answer"]?.string.flatMap(GuardAnswer.init)
      else { break }
      return take(number, answer, ticket).map { .reply(.refused(host.refusal($0))) } ?? .later
    case nil: break
    }
    return .reply(.refused(host.refusal(.unknownRequest(request.verb))))
  }

  /// Takes an answer, which is stored later. Returns the error if the question is not open or
  /// already has an answer.
  func take(_ number: Int, _ answer: GuardAnswer, _ ticket: Ticket?) -> GuardError? {
    guard !changes.hasAnswer(to: number),
      let question = rules.openQuestions.first(where: { $0.number == number })
    else { return .noQuestion(number) }
    changes.add(.answer(question, answer, ticket), at: KernelClock.monotonic.now)
    return nil
  }

  private var status: GuardStatus {
    var status = GuardStatus(
      process: Environment.processIdentifier, mode: rules.mode.rawValue,
      level: sound.level(rules.mode), reason: sound.reason(rules.mode))
    status.uses = rules.allowed.map { GuardedUse($0, $1, device: $2) }
    status.questions = rules.openQuestions.map {
      GuardedUse($0.use, $0.program, device: $0.device, question: $0.number)
    }
    return status
  }

  /// Sends the status to the commands that watch the guard, if the status has changed.
  func publish() {
    guard socket.server.isWatched else { return }
    let status = status
    if status == published { return }
    published = status
    socket.server.publish(status.json.object ?? [:])
  }
}

extension GuardedUse {
  fileprivate init(
    _ use: Graph.Use, _ program: GuardedProgram, device: String, question: Int? = nil
  ) {
    self.init(
      question: question, program: program.identifier,
      title: program.title,
      process: program.process.id, service: use.service.rawValue, device: device)
  }

  /// Creates the description of the use that a question is about.
  package init(_ question: GuardQuestion) {
    self.init(question.use, question.program, device: question.device)
  }
}
