internal import Linux
internal import Permission

/// A prompt that asks the user at a terminal, and restores the state of the terminal in every case.
struct Prompt: ~Copyable {
  /// The outcome of a prompt.
  enum Ending: Hashable, Sendable {
    case answered(PromptAnswer)
    /// A signal arrived that stops or ends the process. The caller sends it again.
    case interrupted(by: Signal)
  }

  /// The time limit for an answer.
  static let limit = Duration.seconds(120)

  private let terminal: Descriptor
  private let limit: Duration
  private let quiet: Duration

  private static let signals: [Signal] = [.interrupt, .quit, .terminate, .hangUp, .terminalStop]
  private static let retries = 3
  /// The time limit for typing without a pause. A user who types for longer has not read the
  /// question.
  private static let patience = Duration.seconds(5)
  /// The accepted answers. They are whole lines, so that neither a stray key nor another word is an
  /// answer.
  private static let answers: [String: PromptAnswer] = [
    "y\n": .always, "yes\n": .always, "o\n": .onlyThisTime, "once\n": .onlyThisTime,
    "n\n": .never, "no\n": .never, "\n": .notNow,
  ]

  /// Takes a terminal and makes its descriptor non-blocking, because Ctrl-S may block output.
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

  /// Shows the question and waits for the answer. Call this function before other threads start,
  /// because they would receive the signals.
  func ask(_ question: Question) -> Ending {
    ask(question.text, reminder: question.reminder, Self.answers)
  }

  /// Asks a question, and returns whether the answer is yes. A missing answer counts as no.
  func confirm(_ question: String) -> Bool {
    let choices = "[y] yes  [n] no  (Enter = no): "
    let answers = Self.answers.filter { $0.value != .onlyThisTime }
    let ending = ask(
      question + "\n" + choices, reminder: "Type y (yes) or n (no), or only Enter.\n" + choices,
      answers)
    if case .interrupted(let signal) = ending {
      try? signal.send(to: Environment.processIdentifier)
    }
    return ending == .answered(.always)
  }

  private func ask(
    _ text: String, reminder: String, _ answers: [String: PromptAnswer]
  ) -> Ending {
    guard let signals = try? Signals(Self.signals) else { return .answered(.noTerminal) }
    let ending: Ending
    do {
      ending = .answered(try answer(to: text, reminder, answers, signals))
    } catch {
      ending = (error as? Break ?? .unanswered).ending
      // The user's text has no newline, and the next output needs its own line.
      let end = [UInt8(ascii: "\n")]
      try? terminal.writeAll(end.span)
    }
    signals.release()
    return ending
  }

  private func answer(
    to text: String, _ reminder: String, _ answers: [String: PromptAnswer],
    _ signals: borrowing Signals
  ) throws -> PromptAnswer {
    let deadline = KernelClock.monotonic.now + limit
    var text = text
    for _ in 0...Self.retries {
      let line = try line(after: text, signals, until: deadline)
      if let answer = answers[line] { return answer }
      text = reminder
    }
    return .notNow
  }
}

extension Prompt {
  /// The reasons for ending without an answer. An error of the terminal counts as `unanswered`.
  private enum Break: Error {
    case signal(Signal)
    /// The time is over, the input has ended, the terminal has failed, or the user types without a
    /// pause.
    case unanswered

    var ending: Ending {
      switch self {
      case .signal(.interrupt): .answered(.interrupted)
      case .signal(let signal): .interrupted(by: signal)
      case .unanswered: .answered(.notNow)
      }
    }
  }

  private func line(
    after text: String, _ signals: borrowing Signals, until deadline: Duration
  ) throws -> String {
    try discardTypeAhead()
    let mode = try TerminalMode(.lines, of: terminal.number)
    defer { withExtendedLifetime(mode) {} }
    // Keys that were pressed while the mode changed would count as a line.
    try? Terminal.discardTypeAhead(terminal.number)
    do {
      try show(text, signals, until: deadline)
      return try readLine(signals, until: deadline)
    } catch {
      // A partial answer must not reach the shell.
      try? Terminal.discardTypeAhead(terminal.number)
      throw error
    }
  }

  /// Discards the keys that were typed before the question. Throws if the user does not stop
  /// typing. The keys are read one by one, because in line mode the terminal delivers nothing
  /// before the end of a line.
  private func discardTypeAhead() throws {
    let mode = try TerminalMode(.keyByKey, of: terminal.number)
    defer { withExtendedLifetime(mode) {} }
    let isQuiet = try Terminal.discardTypeAhead(
      terminal, untilQuietFor: quiet, upTo: Self.patience)
    if !isQuiet { throw Break.unanswered }
  }

  private func show(_ text: String, _ signals: borrowing Signals, until deadline: Duration) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      guard let count = try terminal.writeIfReady(rest.span) else {
        try wait(for: .writable, signals, until: deadline)
        continue
      }
      rest.removeFirst(count)
    }
  }

  private func readLine(_ signals: borrowing Signals, until deadline: Duration) throws -> String {
    var line = [UInt8](repeating: 0, count: 256)
    while true {
      try wait(for: .readable, signals, until: deadline)
      guard let count = try terminal.readIfReady(into: &line) else { continue }
      if count == 0 { throw Break.unanswered }
      return String(decoding: line[..<count], as: UTF8.self)
    }
  }

  private func wait(
    for interest: Poll.Readiness, _ signals: borrowing Signals, until deadline: Duration
  ) throws {
    var poll = Poll(capacity: 2)
    poll.add(signals.descriptor.number)
    poll.add(terminal.number, for: interest)
    let isReady = try poll.wait(upTo: deadline - KernelClock.monotonic.now) > 0
    if let signal = signals.next() { throw Break.signal(signal) }
    if !isReady { throw Break.unanswered }
  }
}

/// The question for access. Untrusted text in it is escaped.
struct Question: Hashable, Sendable {
  /// The program to ask about.
  var program = "recorder"
  var services: Set<Service> = [.microphone]
  /// The capture device, or nil if it is unknown.
  var device: String?
  var output: String?
  var client = Client.everyone
  /// The user to ask.
  let user: String
  /// The columns of the terminal.
  var width = textWidth

  /// The answers. The last one ends with spaces for the letter that the user types.
  private static let answers = [
    "[y] always", "[o] only this time", "[n] don't allow", "(Enter = not now):    ",
  ]

  /// The longest text of a field. It is longer than a sensible name; a very long name would scroll
  /// the question off the screen.
  private static let longest = 200

  /// The whole question, up to the position of the answer.
  var text: String {
    let uses = Service.allCases.filter(services.contains).map(\.use).joined(separator: " and to ")
    return sentence("\(program) wants to \(uses).") + details
      + sentence("Allow \(program) to \(uses)?") + choices
  }

  /// The text after a line that is not an answer.
  var reminder: String {
    sentence("Type y (yes), o (once) or n (no), or only Enter.") + choices
  }

  /// The answers, up to the position at which the user types.
  var choices: String {
    let lines = joined(Self.answers, by: "  ", width: width)
    return String(lines.joined(separator: "\n").dropLast(3))
  }

  private func sentence(_ text: String) -> String {
    wrapped(text, width: width).map { $0 + "\n" }.joined()
  }

  /// The fields in one line if they fit, else each field in its own line, so that no name can be
  /// mistaken for another field.
  private var details: String {
    let client = client == .everyone ? nil : client.name
    let fields = [
      ("Device", device), ("Output", output), (self.client.kind.title, client), ("User", user),
    ]
    .compactMap { name, value in value.map { "\(name): \(Self.shown($0))" } }
    let line = "  " + fields.joined(separator: "   ")
    return line.count <= width ? line + "\n" : fields.map { "  \($0)\n" }.joined()
  }

  /// Returns the name. A long name loses its middle, because the ends identify the name better.
  private static func shown(_ name: String) -> String {
    let name = printable(name)
    let scalars = name.unicodeScalars
    guard scalars.count > longest else { return name }
    return String(scalars.prefix(longest / 2)) + "…" + String(scalars.suffix(longest / 2))
  }
}

extension Client.Kind {
  fileprivate var title: String { self == .program ? "Program" : "Client" }
}
