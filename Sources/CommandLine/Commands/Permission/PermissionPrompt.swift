internal import Linux
internal import Permission

/// Asks for the microphone where nothing is decided.
///
/// One process of a user asks at a time, and reads again when its turn comes: two commands of one
/// pipeline ask once.
struct PermissionPrompt {
  /// An answer that could not be stored.
  struct Unsaved: Error {
    let answer: Answer
    let failure: StoreFailure
  }

  let authority: Authority
  let inquiry: Inquiry

  private static let lock = "prompt.lock"

  /// Asks where it may, and does what the answer says; what is decided is left alone.
  func request() throws(Unsaved) -> Performed {
    while true {
      switch try turn() {
      case .done(let performed): return performed
      case .signal(let signal):
        // Only now that terminal and lock are given back. A process that goes on after this asks
        // again: it was stopped and woken, or that signal means nothing to it.
        try? signal.send(to: Environment.processIdentifier)
      }
    }
  }

  private enum Turn {
    case done(Performed)
    case signal(Signal)
  }

  private func turn() throws(Unsaved) -> Turn {
    guard mayAsk, Self.foregroundTerminal() != nil else { return .done(try perform(.noTerminal)) }
    let lock = takeLock()
    defer { withExtendedLifetime(lock) {} }
    guard mayAsk, let terminal = Self.foregroundTerminal(),
      let prompt = try? Prompt(on: terminal)
    else { return .done(try perform(.noTerminal)) }
    switch prompt.ask(question) {
    case .answered(let answer): return .done(try perform(answer))
    case .interrupted(let signal): return .signal(signal)
    }
  }

  private var mayAsk: Bool { authority.decide(inquiry).noPrompt == nil }

  private var question: Question {
    Question(
      device: inquiry.deviceName, output: output, client: inquiry.client,
      user: authority.account.label)
  }

  /// Short where it lies below the working directory, as it was probably typed.
  private var output: String? {
    guard let output = inquiry.output, let here = try? Program.workingDirectory(),
      output.begins(with: here + "/")
    else { return inquiry.output }
    return "." + output.trimmingBytes(first: here.utf8.count)
  }

  /// Standard input and output may carry audio, and a background job would be stopped.
  private static func foregroundTerminal() -> Descriptor? {
    guard let terminal = try? Terminal.controlling(), Terminal.isForeground(terminal.number) else {
      return nil
    }
    return terminal
  }

  /// Nil where there can be no lock: nothing can be stored then, and being asked twice is a small harm.
  ///
  /// Whoever holds it for longer than a question may take is stopped, and is not waited for.
  private func takeLock() -> FileLock? {
    guard
      let directory = try? PrivateDirectory.make(
        at: authority.store.path, owner: authority.store.binding.user)
    else { return nil }
    return try? FileLock(Self.lock, in: directory, waitingUpTo: Prompt.limit + .seconds(30))
  }

  private func perform(_ answer: Answer) throws(Unsaved) -> Performed {
    do throws(StoreFailure) {
      return try authority.perform(.request(answer), inquiry)
    } catch {
      throw Unsaved(answer: answer, failure: error)
    }
  }
}
