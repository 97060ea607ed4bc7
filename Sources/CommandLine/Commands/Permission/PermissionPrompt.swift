internal import Linux
internal import Permission

/// Prompts for the microphone if nothing is decided.
///
/// One process of a user prompts at a time, and reads the decision again after waiting, so two
/// commands of one pipeline ask once.
struct PermissionPrompt {
  /// An answer that could not be stored.
  struct Unsaved: Error {
    let answer: PromptAnswer
    let failure: StoreFailure
  }

  let authority: Authority
  let query: AccessQuery

  private static let lock = "prompt.lock"

  /// Prompts if that is possible and carries out the answer; a decision that exists is returned
  /// unchanged.
  func request() throws(Unsaved) -> PermissionOutcome {
    while true {
      switch try turn() {
      case .done(let outcome): return outcome
      case .signal(let signal):
        // Only after the terminal and the lock are released. A process that survives this prompts
        // again: it was stopped and continued, or it ignores the signal.
        try? signal.send(to: Environment.processIdentifier)
      }
    }
  }

  private enum Turn {
    case done(PermissionOutcome)
    case signal(Signal)
  }

  private func turn() throws(Unsaved) -> Turn {
    guard mayAsk, Self.foregroundTerminal() != nil else { return .done(try perform(.noTerminal)) }
    let lock = takeLock()
    defer { withExtendedLifetime(lock) {} }
    guard mayAsk, let terminal = Self.foregroundTerminal() else {
      return .done(try perform(.noTerminal))
    }
    let width = Terminal.size(of: terminal.number)?.columns
    guard let prompt = try? Prompt(on: terminal) else { return .done(try perform(.noTerminal)) }
    switch prompt.ask(question(width)) {
    case .answered(let answer): return .done(try perform(answer))
    case .interrupted(let signal): return .signal(signal)
    }
  }

  private var mayAsk: Bool { authority.decide(query).noPrompt == nil }

  /// - Parameter width: the columns of the terminal; nil if they are unknown.
  private func question(_ width: Int?) -> Question {
    Question(
      device: query.deviceName, output: output, client: query.client,
      user: authority.account.label, width: width.map { max(20, $0) } ?? textWidth)
  }

  /// The output's path, relative to the working directory if it is below it.
  private var output: String? {
    guard let output = query.output, let here = try? Program.workingDirectory(),
      output.begins(with: here + "/")
    else { return query.output }
    return "." + output.trimmingBytes(first: here.utf8.count)
  }

  /// The controlling terminal if this is a foreground job; standard input and output may carry
  /// audio, and a background job would be stopped.
  private static func foregroundTerminal() -> Descriptor? {
    guard let terminal = try? Terminal.controlling(), Terminal.isForeground(terminal.number) else {
      return nil
    }
    return terminal
  }

  /// Takes the lock of the prompt; nil if there can be none: nothing can be stored then, and a
  /// second prompt does little harm.
  ///
  /// A process that holds it for longer than a prompt may take is stopped, and is not waited for.
  private func takeLock() -> FileLock? {
    guard
      let directory = try? PrivateDirectory.make(
        at: authority.store.path, owner: authority.store.owner.user)
    else { return nil }
    return try? FileLock(Self.lock, in: directory, waitingUpTo: Prompt.limit + .seconds(30))
  }

  private func perform(_ answer: PromptAnswer) throws(Unsaved) -> PermissionOutcome {
    do throws(StoreFailure) {
      return try authority.perform(.request(answer), query)
    } catch {
      throw Unsaved(answer: answer, failure: error)
    }
  }
}
