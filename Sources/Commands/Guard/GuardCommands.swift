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
    "The guard is for programs that record through PipeWire, including those that use ALSA's or PulseAudio's "
    + "interface to it. A program that may open the sound card itself can bypass the guard; "
    + "\"recorder help guard\" has the limits."
}

extension GuardMode: WordValue {
  /// The name in the help.
  package static var placeholder: String { "MODE" }
}

/// The command `guard on`, which installs the guard and starts it.
enum GuardOnCommand: RunnableCommand {
  static var words: [String] { GuardCommands.words + ["on"] }

  private static let dryRun = Flag("dry-run", summary: "Show the changes without making them")

  static var command: Command {
    Command(
      words, section: .permission, summary: "Guard the microphone now and after each login",
      details: [
        "Writes the guard's files for the installed WirePlumber and PipeWire into your directories, "
          + "and starts the guard as a service of your systemd. The sound server reads the files when "
          + "it starts, so the command asks whether to restart it. The restarted server connects no "
          + "program to the microphone before the guard allows that program. A file that recorder did "
          + "not write is never changed.",
        "Asks about each program that is recording now and has no decision. If such a program stays "
          + "undecided, for example because there is no terminal, the command lists it, changes nothing "
          + "and ends with 20.",
        "If no systemd runs for your user, let the desktop session start \"recorder guard run\". Until it "
          + "does, \"recorder guard on\" ends with 1. With --mode log, no file for the sound server is "
          + "written.",
        GuardCommands.boundary,
      ],
      options: [OptionGroup("Options", [GuardRunCommand.mode, dryRun])],
      examples: [
        Example("recorder guard on", "Guard, and ask about undecided programs"),
        Example("recorder guard on --dry-run", "Show what this would change"),
        Example("recorder guard on --mode log", "Only log which programs record"),
      ],
      ends: [
        .notFound, .outputRefused, .permissionNotDetermined, .permissionUnusable, .interrupted,
      ])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let mode = arguments[GuardRunCommand.mode] ?? .ask
    return try GuardSwitch(console).turnOn(mode, isDry: arguments[dryRun])
  }
}

/// The command `guard off`, which ends the guard and removes its files.
enum GuardOffCommand: RunnableCommand {
  static var words: [String] { GuardCommands.words + ["off"] }

  static var command: Command {
    Command(
      words, section: .permission, summary: "End the guard, and remove its files",
      details: [
        "Ends the guard, and removes the files that \"recorder guard on\" wrote. A file that was changed "
          + "since then is listed and kept. The sound server has to start again to forget the files; the "
          + "command asks whether to restart it. The decisions about programs stay stored."
      ],
      examples: [Example("recorder guard off", "End the guard")], ends: [.notFound])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    try GuardSwitch(console).turnOff()
  }
}

/// The command `guard run`, which runs the guard until a signal or a request ends it.
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
          + "With --mode ask, asks about each program without a decision: with a notification of the "
          + "desktop, and in \"recorder guard ask\". Until the answer, the program gets no further "
          + "sound; after a minute without an answer, it is refused. With --mode deny, refuses such "
          + "programs without a question. With --mode log, closes nothing, and logs every use.",
        GuardCommands.boundary,
      ],
      options: [OptionGroup("Options", [mode])],
      examples: [
        Example("recorder guard run", "Guard, and ask"),
        Example("recorder guard run --mode log", "Only log which programs record"),
      ])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    // The signals are blocked before any thread starts, because threads inherit the mask.
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
    let status = try RunningGuard.status()
    guard console.isQuiet, !console.isJSON else {
      let isHeld = status == nil && SoundSoftware.holdsPrograms()
      return GuardReport(
        status: status, isHeld: isHeld, openDevices: SoundDeviceFiles.openForCapture,
        hasBus: GuardFacts.hasSessionBus)
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
    var client = try RunningGuard.client()
    var status = try RunningGuard.status(RunningGuard.ask(&client, .watch))
    var last = 0
    console.note("waiting for questions; Ctrl-C ends this command, and the guard continues")
    while true {
      while let use = status.questions.first(where: { $0.question ?? 0 > last }) {
        last = use.question ?? last
        guard try answer(use, by: &client) else { return SilentReport(exitCode: .done) }
      }
      status = try RunningGuard.status(RunningGuard.event(of: &client))
    }
  }

  /// Asks the user about a use, and sends the answer to the guard. Returns false after Ctrl-C.
  private static func answer(_ use: GuardedUse, by client: inout ControlClient) throws -> Bool {
    guard let number = use.question, let service = Service(rawValue: use.service) else {
      return true
    }
    let answer: GuardAnswer
    let known = use.program.flatMap(Client.init(program:))
    switch try RunningGuard.ask(use.title, service, use.device, known) {
    case .always: answer = .always
    case .onlyThisTime: answer = .once
    case .never: answer = .never
    case .notNow, .noTerminal: return true
    case .interrupted: return false
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
