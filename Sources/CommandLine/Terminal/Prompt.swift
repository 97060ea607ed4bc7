internal import Linux
internal import Permission

/// Asks the user at a terminal and restores the terminal in every case.
struct Prompt: ~Copyable {
  /// The outcome of a prompt.
  enum Ending: Hashable, Sendable {
    case answered(PromptAnswer)
    /// A signal arrived that stops or ends the process; the caller raises it again.
    case interrupted(by: Signal)
  }

  /// The time limit for an answer.
  static let limit = Duration.seconds(120)

  private let terminal: Descriptor
  private let limit: Duration
  private let quiet: Duration

  private static let signals: [Signal] = [.interrupt, .quit, .terminate, .hangUp, .terminalStop]
  private static let retries = 3
  /// A user who types this long without a pause has not read the question.
  private static let patience = Duration.seconds(5)
  /// Exact whole lines, so that no stray key and no other word is an answer.
  private static let answers: [String: PromptAnswer] = [
    "y\n": .always, "yes\n": .always, "o\n": .onlyThisTime, "once\n": .onlyThisTime,
    "n\n": .never, "no\n": .never, "\n": .notNow,
  ]

  /// Takes over a terminal and makes its descriptor non-blocking: Ctrl-S may hold back output.
  ///
  /// - Parameter quiet: the pause in typing after which the question is shown.
  init(
    on terminal: consuming Descriptor, limit: Duration = Self.limit,
    quiet: Duration = .milliseconds(100)
  ) throws(SystemError) {
    try terminal.setNonBlocking(true)
    self.terminal = terminal
    self.limit = limit
    self.quiet = quiet
  }

  /// Shows the question and waits; called before other threads start, which would take the signals.
  func ask(_ question: Question) -> Ending {
    guard let signals = try? Signals(Self.signals) else { return .answered(.noTerminal) }
    let ending: Ending
    do throws(Break) {
      ending = .answered(try answer(to: question, signals))
    } catch {
      ending = error.ending
      // The user's text has no newline, and the next output needs a line of its own.
      let end = [UInt8(ascii: "\n")]
      try? terminal.writeAll(end.span)
    }
    signals.release()
    return ending
  }

  private func answer(
    to question: Question, _ signals: borrowing Signals
  ) throws(Break) -> PromptAnswer {
    let deadline = KernelClock.monotonic.now + limit
    var text = question.text
    for _ in 0...Self.retries {
      let line = try line(after: text, signals, until: deadline)
      if let answer = Self.answers[line] { return answer }
      text = question.reminder
    }
    return .notNow
  }
}

extension Prompt {
  /// The reasons for ending without an answer.
  private enum Break: Error {
    case signal(Signal)
    /// The time is over, the input has ended or the terminal is gone.
    case nobody

    var ending: Ending {
      switch self {
      case .signal(.interrupt): .answered(.interrupted)
      case .signal(let signal): .interrupted(by: signal)
      case .nobody: .answered(.notNow)
      }
    }
  }

  private func line(
    after text: String, _ signals: borrowing Signals, until deadline: Duration
  ) throws(Break) -> String {
    try discardTypeAhead()
    let mode = try orNobody { () throws(SystemError) in
      try TerminalMode(.lines, of: terminal.number)
    }
    defer { withExtendedLifetime(mode) {} }
    // Keys that were pressed during the change of mode would count as a line.
    try? Terminal.discardTypeAhead(terminal.number)
    do throws(Break) {
      try show(text, signals, until: deadline)
      return try readLine(signals, until: deadline)
    } catch {
      // A partial answer must not reach the shell.
      try? Terminal.discardTypeAhead(terminal.number)
      throw error
    }
  }

  /// Reads key by key, because in line mode the terminal delivers nothing before the end of a line.
  private func discardTypeAhead() throws(Break) {
    let isQuiet = try orNobody { () throws(SystemError) in
      let mode = try TerminalMode(.keyByKey, of: terminal.number)
      defer { withExtendedLifetime(mode) {} }
      return try Terminal.discardTypeAhead(
        terminal, untilQuietFor: quiet, upTo: Self.patience)
    }
    if !isQuiet { throw .nobody }
  }

  private func show(
    _ text: String, _ signals: borrowing Signals, until deadline: Duration
  ) throws(Break) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = try orNobody { () throws(SystemError) in
        try terminal.writeIfReady(rest.span)
      }
      guard let count else {
        try wait(for: .writable, signals, until: deadline)
        continue
      }
      rest.removeFirst(count)
    }
  }

  private func readLine(
    _ signals: borrowing Signals, until deadline: Duration
  ) throws(Break) -> String {
    var line = [UInt8](repeating: 0, count: 256)
    while true {
      try wait(for: .readable, signals, until: deadline)
      let count = try orNobody { () throws(SystemError) in
        try terminal.readIfReady(into: &line)
      }
      guard let count else { continue }
      if count == 0 { throw .nobody }
      return String(decoding: line[..<count], as: UTF8.self)
    }
  }

  private func wait(
    for interest: Poll.Readiness, _ signals: borrowing Signals, until deadline: Duration
  ) throws(Break) {
    let isReady = try orNobody { () throws(SystemError) in
      var poll = Poll(capacity: 2)
      poll.add(signals.descriptor.number)
      poll.add(terminal.number, for: interest)
      return try poll.wait(upTo: deadline - KernelClock.monotonic.now) > 0
    }
    if let arrival = signals.next() { throw .signal(arrival.signal) }
    if !isReady { throw .nobody }
  }

  /// Runs a call; a terminal that fails counts as one without a user.
  private func orNobody<Result: ~Copyable>(
    _ call: () throws(SystemError) -> Result
  ) throws(Break) -> Result {
    do {
      return try call()
    } catch {
      throw .nobody
    }
  }
}

/// The question for microphone access; foreign words in it are escaped.
struct Question: Hashable, Sendable {
  /// The device to capture from; nil if it is unknown.
  var device: String?
  var output: String?
  var client = Client.everyone
  /// The user to ask.
  let user: String
  /// The columns of the terminal.
  var width = textWidth

  /// The answers; the last one has room behind it for the letter.
  private static let answers = [
    "[y] always", "[o] only this time", "[n] don't allow", "(Enter = not now):    ",
  ]

  /// Longer than a sensible name; an endless name would scroll the question away.
  private static let longest = 200

  /// The whole question, up to the answer.
  var text: String {
    sentence("recorder would like to use the microphone.") + details
      + sentence("Allow recorder to use the microphone?") + choices
  }

  /// The text after a line that is no answer.
  var reminder: String {
    sentence("Type y (yes), o (once) or n (no), or only Enter.") + choices
  }

  /// The answers, up to where the user types one.
  var choices: String {
    let lines = joined(Self.answers, by: "  ", width: width)
    return String(lines.joined(separator: "\n").dropLast(3))
  }

  private func sentence(_ text: String) -> String {
    wrapped(text, width: width).map { $0 + "\n" }.joined()
  }

  /// One line if it fits, else a line for each field, so that no name can pass for another field.
  private var details: String {
    let client = client == .everyone ? nil : client.name
    let fields = [("Device", device), ("Output", output), ("Client", client), ("User", user)]
      .compactMap { name, value in value.map { "\(name): \(Self.shown($0))" } }
    let line = "  " + fields.joined(separator: "   ")
    return line.count <= width ? line + "\n" : fields.map { "  \($0)\n" }.joined()
  }

  /// The name with both of its ends, which tell more than its middle.
  private static func shown(_ name: String) -> String {
    let name = printable(name)
    let scalars = name.unicodeScalars
    guard scalars.count > longest else { return name }
    return String(scalars.prefix(longest / 2)) + "…" + String(scalars.suffix(longest / 2))
  }
}
