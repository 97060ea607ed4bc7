internal import Linux
internal import Permission

/// The prompt for access, shown if nothing is decided. It names the undecided services.
///
/// Only one process of a user prompts at a time. A process that had to wait reads the decision
/// again, so two commands of one pipeline prompt only once.
struct PermissionPrompt {
  /// The answer to a prompt, and its outcome or the reason why the answer could not be stored.
  typealias Reply = (answer: PromptAnswer, result: Result<PermissionOutcome, StoreFailure>)

  let authority: Authority
  var query: AccessQuery
  let console: Console

  private static let lock = "prompt.lock"
  /// The longest wait for another prompt without a note to the user.
  private static let unnoticed = Duration.seconds(1)

  /// Prompts if that is possible, and carries out the answer. If there is a decision already,
  /// returns it without a prompt.
  func request() -> Reply {
    while true {
      switch turn() {
      case .done(let reply): return reply
      case .signal(let signal):
        // The signal is sent after the terminal and the lock are released. If the signal does not
        // end the process, for example after Ctrl-Z and `fg`, the process prompts again.
        try? signal.send(to: Environment.processIdentifier)
      }
    }
  }

  private enum Turn {
    case done(Reply)
    case signal(Signal)
  }

  private func turn() -> Turn {
    guard open != nil, Self.foregroundTerminal() != nil else { return .done(perform(.noTerminal)) }
    let lock = takeLock()
    defer { withExtendedLifetime(lock) {} }
    guard let services = open, let terminal = Self.foregroundTerminal() else {
      return .done(perform(.noTerminal))
    }
    var asked = self
    asked.query.services = services
    return asked.turn(on: terminal)
  }

  /// Asks about all services of the query, and carries out the answer for all of them.
  private func turn(on terminal: consuming Descriptor) -> Turn {
    let width = Terminal.size(of: terminal.number)?.columns
    guard let prompt = try? Prompt(on: terminal) else { return .done(perform(.noTerminal)) }
    switch prompt.ask(question(width)) {
    case .answered(let answer): return .done(perform(answer))
    case .interrupted(let signal): return .signal(signal)
    }
  }

  /// The undecided services, or nil if the user must not be asked.
  private var open: Set<Service>? {
    let situation = authority.situation(query)
    return situation.decide().noPrompt == nil ? situation.undecided : nil
  }

  /// - Parameter width: the columns of the terminal, or nil if they are unknown.
  private func question(_ width: Int?) -> Question {
    Question(
      services: query.services, device: query.deviceName, output: output, client: query.client,
      user: authority.account.label, width: width.map { max(20, $0) } ?? textWidth)
  }

  /// The path of the output, relative to the working directory if the output is in that directory.
  private var output: String? {
    guard let output = query.output, let here = try? Program.workingDirectory(),
      output.begins(with: here + "/")
    else { return query.output }
    return "." + output.trimmingBytes(first: here.utf8.count)
  }

  /// Returns the controlling terminal. Standard input and output are not used, because they may
  /// carry audio. Returns nil if this process is not in the foreground, because the kernel would
  /// stop a background job that reads from the terminal.
  static func foregroundTerminal() -> Descriptor? {
    guard let terminal = try? Terminal.controlling(), Terminal.isForeground(terminal.number) else {
      return nil
    }
    return terminal
  }

  /// Takes the lock of the prompt, or returns nil if that is impossible. In that case no decision
  /// can be stored either, so a second prompt does little harm.
  ///
  /// If another process holds the lock for longer than a prompt can last, it must be suspended.
  /// Then this process continues without the lock.
  private func takeLock() -> FileLock? {
    guard
      let directory = try? PrivateDirectory.make(
        at: authority.store.path, owner: authority.store.owner.user)
    else { return nil }
    do {
      let lock = try FileLock.take(Self.lock, in: directory, waitingUpTo: Self.unnoticed)
      if let lock { return lock }
    } catch {
      return nil
    }
    let holder = FileLock.holder(Self.lock, in: directory)
    // If the other process prompts on the same terminal, a note would be written into the line of
    // the answer.
    if holder.map(Terminal.isShared) != true {
      let process = holder.map { " (process \($0))" } ?? ""
      console.note("waiting for the answer to a question in another terminal" + process)
    }
    return try? FileLock(Self.lock, in: directory, waitingUpTo: Prompt.limit + .seconds(30))
  }

  private func perform(_ answer: PromptAnswer) -> Reply {
    (answer, Result { () throws(StoreFailure) in try authority.perform(.request(answer), query) })
  }
}
