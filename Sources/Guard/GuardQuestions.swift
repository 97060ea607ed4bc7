internal import Permission
internal import PipeWire

/// The open questions, at most one for each program and service.
struct GuardQuestions: Sendable {
  /// A question that was closed without an answer.
  private struct Unanswered: Sendable {
    let subject: Subject
    let time: Duration
    /// Whether the question was closed because of its deadline. Otherwise the program has
    /// disconnected, or a decision about the program was made without this question.
    let isLate: Bool
  }

  private var open: [Subject: GuardQuestion] = [:]
  /// The questions that were closed without an answer within the last `pause`.
  private var unanswered: [Unanswered] = []
  private var asked = 0

  /// The time after which an unanswered question may be asked again.
  private static let pause = Duration.seconds(600)
  /// The largest number of questions that are open, or were withdrawn within the last
  /// `GuardQuestion.patience`. At this number, other programs are refused without a question.
  /// Without this limit, a program could cause any number of questions with copies of itself, which
  /// count as other programs.
  static let most = 20
  /// The largest number of withdrawn questions about a program within `pause`. At this number, the
  /// program is refused without a question, because a program can disconnect and try again at any
  /// time.
  static let mostWithdrawn = 5

  /// The open questions, the oldest first.
  var sorted: [GuardQuestion] { open.values.sorted { $0.number < $1.number } }

  /// The earliest deadline of an open question, or nil if no question is open.
  var deadline: Duration? { open.values.map(\.deadline).min() }

  /// The open question about a program.
  subscript(subject: Subject) -> GuardQuestion? { open[subject] }

  /// Returns whether a question about a program can be opened now.
  func canAsk(about subject: Subject, at now: Duration) -> Bool {
    let own = unanswered.filter { $0.subject == subject }
    let recent = unanswered.count { !$0.isLate && now - $0.time < GuardQuestion.patience }
    return open.count + recent < Self.most && own.count < Self.mostWithdrawn
      && !own.contains(where: \.isLate)
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

  /// Changes the use that a question is about to another use of the same program.
  mutating func move(
    _ question: GuardQuestion, to use: Graph.Use, _ program: GuardedProgram, _ device: String
  ) {
    open[question.subject] = GuardQuestion(
      number: question.number, program: program, use: use, device: device,
      deadline: question.deadline)
  }

  /// Closes a question.
  ///
  /// - Parameters:
  ///   - now: the current time if the question has no answer, or nil if it was answered.
  ///   - isLate: whether the question is closed because of its deadline.
  mutating func close(
    _ question: GuardQuestion, unansweredAt now: Duration? = nil, isLate: Bool = false
  ) {
    open[question.subject] = nil
    guard let now else { return }
    unanswered.append(Unanswered(subject: question.subject, time: now, isLate: isLate))
  }

  /// Forgets the unanswered questions that may be asked again.
  mutating func forgetUnanswered(at now: Duration) {
    unanswered.removeAll { now - $0.time > Self.pause }
  }
}

extension GuardQuestion {
  /// The program and the service that the question is about.
  var subject: Subject { Subject(use.service, program.client) }
}
