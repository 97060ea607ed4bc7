internal import Control
internal import Guard
internal import JSON
internal import Linux
internal import Permission

/// The commands of the guard.
enum GuardCommands {
  static let all: [any RunnableCommand.Type] = [
    GuardOnCommand.self, GuardOffCommand.self, GuardStatusCommand.self, GuardRunCommand.self,
    GuardAskCommand.self,
  ]

  static let words = ["guard"]

  static let boundary =
    "The guard is for programs that record through PipeWire, also by ALSA's and PulseAudio's interfaces. "
    + "A program that may open the sound card itself can bypass it; \"recorder help guard\" has the limits."

  /// Connects to the running guard. Throws if there is none.
  static func client() throws -> ControlClient {
    guard let client = try GuardSocket.client() else {
      throw Failure(
        .notFound, "no guard is running", advice: "\"recorder guard on\" starts one")
    }
    return client
  }

  /// Returns the status of the running guard, or nil if there is none.
  static func runningStatus() throws -> GuardStatus? {
    guard var client = try GuardSocket.client() else { return nil }
    return try status(client.ask(GuardVerb.status.rawValue))
  }

  /// Asks about a program in the controlling terminal.
  static func ask(
    _ title: String, _ service: Service, _ device: String, _ client: Client?
  ) throws -> Prompt.Ending {
    let terminal = try Terminal.controlling()
    let width = Terminal.size(of: terminal.number)?.columns
    let account = try MicrophoneAccess.authority().account
    let question = Question(
      program: printable(title), services: [service], device: device,
      client: client ?? .everyone, user: account.label, width: width ?? textWidth)
    return try Prompt(on: terminal, limit: GuardRules.patience).ask(question)
  }

  static func status(_ answer: JSONObject) throws -> GuardStatus {
    guard let status = GuardStatus(json: .object(answer)) else {
      throw Failure(
        .failed, "the running guard has another version of recorder",
        advice: "end it with \"recorder guard off\", and start it again")
    }
    return status
  }
}

extension GuardMode: WordValue {
  /// The name in the help.
  package static var placeholder: String { "MODE" }
}

/// The command `guard run`, which guards until it is ended.
enum GuardRunCommand: RunnableCommand {
  static var words: [String] { GuardCommands.words + ["run"] }

  static let mode = Option<GuardMode>(
    "mode", summary: "What happens to programs without permission: ask (default), deny or log")

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Guard the microphone until Ctrl-C",
      details: [
        "Closes the microphone and the sound of the outputs to every program without permission. "
          + "With --mode ask, asks about a program that is not decided: with a notification of the "
          + "desktop, and in \"recorder guard ask\". It gets no sound before the answer; without an "
          + "answer, it is refused after a minute. With --mode deny, refuses such programs. With --mode "
          + "log, closes nothing, and logs every use.",
        GuardCommands.boundary,
      ],
      options: [OptionGroup("Options", [mode])],
      examples: [
        Example("recorder guard run", "Guard, and ask"),
        Example("recorder guard run --mode log", "Only log which programs record"),
      ],
      ends: [.interrupted])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    // Blocked before a thread of the sound server starts, because threads inherit the mask.
    let signals = try Signals([.interrupt, .terminate, .quit, .hangUp])
    let host = GuardConsole(console: console)
    try GuardLoop(arguments[mode] ?? .ask, MicrophoneAccess.authority(), signals, host).run()
    return GuardReport(status: nil, isHeld: SoundSoftware.holdsPrograms())
  }
}

/// The command `guard status`.
enum GuardStatusCommand: RunnableCommand {
  static var words: [String] { GuardCommands.words + ["status"] }

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Show whether the microphone is guarded, and who uses it",
      details: [
        GuardCommands.boundary,
        "With --quiet, prints nothing, and exits with 0 while a guard runs and with 10 otherwise.",
      ],
      examples: [Example("recorder guard status", "Show the guard")],
      ends: [.notFound])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let status = try GuardCommands.runningStatus()
    guard console.isQuiet, !console.isJSON else {
      let isHeld = status == nil && SoundSoftware.holdsPrograms()
      return GuardReport(status: status, isHeld: isHeld)
    }
    return SilentReport(exitCode: status == nil ? .notFound : .done)
  }
}

/// The command `guard ask`, which asks the guard's questions in a terminal.
enum GuardAskCommand: RunnableCommand {
  static var words: [String] { GuardCommands.words + ["ask"] }

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Answer the guard's questions in this terminal, until Ctrl-C",
      details: ["Each question is asked once. An answer in a notification also counts here."],
      examples: [Example("recorder guard ask", "Wait for questions")], ends: [.notFound])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    var client = try GuardCommands.client()
    var status = try GuardCommands.status(client.ask(GuardVerb.watch.rawValue))
    var last = 0
    console.note("waiting for questions; Ctrl-C ends this command, and the guard continues")
    while true {
      while let use = status.questions.first(where: { $0.question ?? 0 > last }) {
        last = use.question ?? last
        guard try answer(use, by: &client) else { return SilentReport(exitCode: .done) }
      }
      status = try GuardCommands.status(event(of: &client))
    }
  }

  private static func event(of client: inout ControlClient) throws -> JSONObject {
    do throws(ControlError) {
      return try client.nextEvent()
    } catch {
      guard error == .closed else { throw error }
      throw Failure(
        .failed, "the guard has ended", advice: "\"recorder guard status\" shows what applies now")
    }
  }

  /// Asks about a use, and sends the answer. Returns false after Ctrl-C.
  private static func answer(_ use: GuardedUse, by client: inout ControlClient) throws -> Bool {
    guard let number = use.question, let service = Service(rawValue: use.service) else {
      return true
    }
    let answer: GuardAnswer
    let known = use.program.flatMap(Client.init(program:))
    switch try GuardCommands.ask(use.title, service, use.device, known) {
    case .answered(.always): answer = .always
    case .answered(.onlyThisTime): answer = .once
    case .answered(.never): answer = .never
    case .answered(.notNow), .answered(.noTerminal): return true
    case .answered(.interrupted): return false
    case .interrupted(let signal):
      try? signal.send(to: Environment.processIdentifier)
      return true
    }
    do throws(ControlError) {
      _ = try client.ask(
        GuardVerb.answer.rawValue, ["question": number.json, "answer": answer.rawValue.json])
    } catch {
      guard case .refused(let refusal) = error else { throw error }
      try StandardStream.error.write("recorder: \(refusal.message)\n")
    }
    return true
  }
}
