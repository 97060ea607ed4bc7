internal import Control
internal import Guard
internal import Linux
internal import Permission

/// The messages of a guard that runs as a command.
struct GuardConsole: GuardHost {
  let console: Console

  let buttons: [(GuardAnswer, String)] = [
    (.once, "Allow once"), (.always, "Always allow"), (.never, "Refuse"),
  ]

  func show(_ news: GuardNews) {
    switch news {
    case .unguarded(let failure): console.warn("nothing is guarded: \(failure)")
    case .guarded: console.note("the sound server is running again, and is guarded")
    case .question(let question):
      console.note(
        words(for: question).summary, advice: "\"recorder guard ask\" shows the question")
    case .unanswered(let question): console.note(words(forUnanswered: question).summary)
    case .incompleteLog(let failure): console.warn("the permission log is incomplete: \(failure)")
    case .noPortal(let fault): console.note(fault.words)
    case .unstored(let program, let failure):
      console.warn(Failure(GuardError.unstored(program, failure)).message)
    }
  }

  func refusal(_ error: GuardError) -> Refusal { Refusal(Failure(error)) }

  func words(forUnanswered question: GuardQuestion) -> (summary: String, details: String) {
    let limit = GuardQuestion.patience.components.seconds
    return (
      "\(printable(question.program.title)) was refused: no answer within \(limit) s",
      words(for: question).details
    )
  }

  func words(for question: GuardQuestion) -> (summary: String, details: String) {
    let program = question.program
    return (
      "\(printable(program.title)) wants to \(question.use.service.use)",
      "\(printable(program.client.name)), process \(program.process.id)\n\(printable(question.device))"
    )
  }
}

extension Failure {
  /// The failure of a request to the guard.
  init(_ error: GuardError) {
    switch error {
    case .alreadyRunning(let process):
      let process = process.map { " (process \($0))" } ?? ""
      self.init(
        .failed, "a guard of this user is already running\(process)",
        advice: "\"recorder guard status\" shows it, and \"recorder guard off\" ends it")
    case .unknownRequest(let verb):
      self.init(.usage, "the guard does not know the request \(quoted(verb))")
    case .noQuestion(let number):
      self.init(.notFound, "question \(number) was answered or withdrawn already")
    case .unstored(let program, let failure):
      self.init(
        .permissionUnusable,
        "the answer about \(quoted(program.title)) cannot be stored: \(failure)",
        advice: "the program is refused; \"recorder permission list\" shows what is stored")
    case .foreignFile(let path):
      self.init(
        .outputRefused,
        "\(quoted(path.text)) exists, and \"recorder guard on\" did not write it; nothing was changed",
        advice: "move that file away, and type \"recorder guard on\" again")
    case .portal(let reason):
      self.init(
        .failed, "cannot store the decision in the desktop's permission store: \(reason)",
        advice: "nothing was changed; \(PortalRecords.Fault.examination)")
    }
  }

  /// The failure of a command of systemd.
  init(_ refusal: UserServices.Refusal) {
    let reason = refusal.reason.map { ": \(printable($0))" } ?? ""
    self.init(
      .failed, "\(quoted(refusal.command)) failed\(reason)",
      advice: "\"systemctl --user status \(UserServices.unit)\" shows details")
  }
}
