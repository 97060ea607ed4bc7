internal import Permission
internal import PipeWire

/// The open questions, at most one about a program and a service.
struct GuardQuestions: Sendable {
  private var open: [Subject: GuardQuestion] = [:]
  /// The times at which questions were closed without an answer, within the last pause.
  private var unanswered: [Subject: Duration] = [:]
  private var asked = 0

  /// The time after which an unanswered question is asked again.
  private static let pause = Duration.seconds(600)
  /// The number of open questions above which further programs are refused. A program can start any
  /// number of copies of itself, which count as other programs.
  static let most = 20

  /// The open questions, the oldest first.
  var sorted: [GuardQuestion] { open.values.sorted { $0.number < $1.number } }

  /// The first time at which a question is too old, or nil if none is open.
  var deadline: Duration? { open.values.map(\.deadline).min() }

  /// The open question about a program.
  subscript(subject: Subject) -> GuardQuestion? { open[subject] }

  /// Returns whether a question about a program can be opened now.
  func canAsk(about subject: Subject) -> Bool {
    unanswered[subject] == nil && open.count < Self.most
  }

  /// Opens a question.
  mutating func ask(
    _ use: Graph.Use, _ program: GuardedProgram, _ device: String, until deadline: Duration
  ) -> GuardQuestion {
    asked += 1
    let question = GuardQuestion(
      number: asked, program: program, use: use, device: device, deadline: deadline)
    open[question.subject] = question
    return question
  }

  /// Changes the use that a question is about to another one of the same program.
  mutating func move(
    _ question: GuardQuestion, to use: Graph.Use, _ program: GuardedProgram, _ device: String
  ) {
    open[question.subject] = GuardQuestion(
      number: question.number, program: program, use: use, device: device,
      deadline: question.deadline)
  }

  /// Closes a question.
  ///
  /// - Parameter now: the current time if the question is too old, or nil.
  mutating func close(_ question: GuardQuestion, unansweredAt now: Duration? = nil) {
    open[question.subject] = nil
    if let now { unanswered[question.subject] = now }
  }

  /// Forgets the unanswered questions that may be asked again.
  mutating func forgetUnanswered(at now: Duration) {
    unanswered = unanswered.filter { now - $0.value <= Self.pause }
  }
}

extension GuardQuestion {
  /// The program and the service that the question is about.
  var subject: Subject { Subject(use.service, program.client) }
}
