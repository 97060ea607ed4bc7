internal import Audio
internal import Devices
internal import Hosting
internal import Linux
internal import Permission
internal import Synchronization

extension Microphone {
  /// The method for asking the user.
  public struct Prompt: Sendable {
    /// The answers that the user can give.
    public enum Answer: Hashable, Sendable {
      /// The microphone may be used from now on.
      case always
      /// The next recording may use the microphone, if the recording starts within 10 minutes.
      case once
      /// Nothing is decided.
      case notNow
      /// The microphone must not be used.
      case never
    }

    enum Method: Sendable {
      case terminal
      case program(@Sendable (Client, Device) async -> Answer)
    }

    let method: Method

    /// Asks in the terminal of this program, with the command `recorder`, which must be installed.
    ///
    /// Without a terminal, nothing is asked or decided.
    public static let terminal = Prompt(method: .terminal)

    private init(method: Method) { self.method = method }

    /// Asks with a closure of this program, which can show a window, for example.
    ///
    /// If no caller waits for the answer any more, the task of the closure is cancelled and the
    /// answer is ignored.
    public init(_ ask: @escaping @Sendable (Client, Device) async -> Answer) {
      method = .program(ask)
    }
  }

  /// Asks for access if nothing is decided yet, and returns the resulting status.
  ///
  /// Simultaneous requests for the same device and client ask only once. Cancelling the task
  /// withdraws the question and decides nothing, unless another task waits for the answer.
  @discardableResult
  public static func requestAccess(
    for device: Device = .defaultMicrophone, client: Client = .current,
    asking prompt: Prompt = .terminal
  ) async -> Authorization {
    let now = await onThread("permission") { authorization(for: device, client: client) }
    guard now == .notDetermined, !Task.isCancelled else { return now }
    await QuestionDesk.shared.ask(prompt, client, device)
    return await onThread("permission") { authorization(for: device, client: client) }
  }
}

/// The open questions. Each is asked once, even if several tasks wait for the answer.
private final class QuestionDesk: Sendable {
  static let shared = QuestionDesk()

  private struct Subject: Hashable {
    let client: Microphone.Client
    let device: Device
  }

  /// The open questions. The sequence of a question has no elements, and ends when the answer
  /// arrives.
  private let questions = Mutex<[Subject: Broadcast<Never>]>([:])

  /// Returns once the question is answered or the task is cancelled.
  func ask(_ prompt: Microphone.Prompt, _ client: Microphone.Client, _ device: Device) async {
    let subject = Subject(client: client, device: device)
    var answer = questions.withLock { questions in
      let question = questions[subject] ?? begin(prompt, subject)
      questions[subject] = question
      return question.updates.makeAsyncIterator()
    }
    _ = await answer.next(isolation: nil)
  }

  private func begin(_ prompt: Microphone.Prompt, _ subject: Subject) -> Broadcast<Never> {
    let question = Broadcast<Never>(keeping: 1)
    let task = Task {
      await Self.put(prompt, subject.client, subject.device)
      questions.withLock { if $0[subject] === question { $0[subject] = nil } }
      question.end()
    }
    question.whenAudienceChanges { [self, weak question] hasAudience in
      if hasAudience { return }
      // Another task may have started to wait for the answer meanwhile.
      let isWanted = questions.withLock { questions in
        if question?.hasAudience == true { return true }
        if questions[subject] === question { questions[subject] = nil }
        return false
      }
      if !isWanted { task.cancel() }
    }
    return question
  }
}

extension QuestionDesk {
  private static func put(
    _ prompt: Microphone.Prompt, _ client: Microphone.Client, _ device: Device
  ) async {
    switch prompt.method {
    case .terminal: await TerminalQuestion.ask(client, device)
    case .program(let ask):
      let answer = await ask(client, device)
      guard !Task.isCancelled else { return }
      await onThread("permission") { keep(answer, client, device) }
    }
  }

  private static func keep(
    _ answer: Microphone.Prompt.Answer, _ client: Microphone.Client, _ device: Device
  ) {
    let answer: PromptAnswer =
      switch answer {
      case .always: .always
      case .once: .onlyThisTime
      case .notNow: .notNow
      case .never: .never
      }
    guard let authority = try? Authority.current() else { return }
    let query = Microphone.query(for: device, client: client, by: authority)
    _ = try? authority.perform(.request(answer), query)
  }
}

/// The question that the command `recorder` asks in the terminal of this program.
private enum TerminalQuestion {
  /// Asks, and returns once the command has ended. Cancelling the task ends the command, and
  /// nothing is decided.
  static func ask(_ client: Microphone.Client, _ device: Device) async {
    guard let command = InstalledProgram.path else { return tellMissing() }
    let service = Track.recordsSystemAudio(device.id) ? ["system-audio"] : []
    var spawn = Spawn(command, ["permission", "request", "--as", client.name] + service)
    // The command opens the terminal itself. Its standard output and standard error are dropped,
    // because this program reports the answer.
    spawn.descriptors = [nil, nil, nil]
    let process = Endable<Int32>()
    await withTaskCancellationHandler {
      await onThread("question") { [spawn] in run(spawn, process) }
    } onCancel: {
      process.end { try? Signal.terminate.send(to: $0) }
    }
  }

  private static func run(_ spawn: Spawn, _ process: Endable<Int32>) {
    guard let child = try? spawn.start() else { return tellMissing() }
    if !process.set(child.identifier) { try? child.send(.terminate) }
    _ = try? child.hasEnded(within: .seconds(3_600))
    // Once `wait` has returned, the process ID may belong to another process.
    process.set(nil)
    _ = try? child.wait()
  }

  private static func tellMissing() {
    try? StandardStream.error.write(
      "The command recorder is not installed, so it cannot ask for microphone access.\n")
  }
}
