internal import Control
internal import Guard
internal import Linux
internal import Permission
internal import Sounds

/// The command `guard on`, which installs the guard and starts it.
enum GuardOnCommand: RunnableCommand {
  static var words: [String] { GuardCommands.words + ["on"] }

  private static let dryRun = Flag("dry-run", summary: "Show the changes without making them")

  static var command: Command {
    Command(
      words, section: .permission, summary: "Guard the microphone now and after each login",
      details: [
        "Writes the guard's files for the installed WirePlumber and PipeWire into your directories, "
          + "and starts the guard as a service of your systemd. The files close the microphone before "
          + "a program gets any sound, once the sound server has started again. The command asks "
          + "whether to restart it. A file that recorder did not write is never changed.",
        "Lists the programs that record now without a permission, and asks about each of them. Without "
          + "a terminal nothing is decided; the guard then asks about them or refuses them.",
        "Without a systemd of the user, the session has to start \"recorder guard run\"; the command then "
          + "ends with 1 unless a guard runs. With --mode log, no file for the sound server is written.",
        GuardCommands.boundary,
      ],
      options: [OptionGroup("Options", [GuardRunCommand.mode, dryRun])],
      examples: [
        Example("recorder guard on", "Guard, and ask about undecided programs"),
        Example("recorder guard on --dry-run", "Show what this would change"),
        Example("recorder guard on --mode log", "Only log which programs record"),
      ],
      ends: [.notFound, .outputRefused, .permissionUnusable, .interrupted])
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
          + "since is listed and left. The sound server has to start again to forget the files; the "
          + "command asks whether to restart it. The decisions about programs stay stored."
      ],
      examples: [Example("recorder guard off", "End the guard")], ends: [.notFound])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    try GuardSwitch(console).turnOff()
  }
}

/// Turns the guard on and off.
struct GuardSwitch {
  private let console: Console
  private let places: GuardFile.Places
  private let services = UserServices.running()
  /// Whether questions can be asked in the terminal.
  private let canAsk: Bool

  init(_ console: Console) throws {
    self.console = console
    places = GuardFile.Places(try BaseDirectories(BaseDirectories.Facts.current()))
    let mayAsk = try !MicrophoneAccess.query(nil).restrictions.forbidsPrompt
    canAsk = mayAsk && PermissionPrompt.foregroundTerminal() != nil
  }

  func turnOn(_ mode: GuardMode, isDry: Bool) throws -> GuardSwitchReport {
    var setup = try GuardSetup(places)
    let files = try files(for: mode)
    let steps = try setup.plan(files)
    let running = try GuardCommands.runningStatus()
    if let running, !isOwn(running, mode, steps) {
      throw Failure(GuardError.alreadyRunning(running.process))
    }
    var report = GuardSwitchReport(mode: mode, isDry: isDry, steps: steps)
    report.isRunning = running != nil
    report.wasOn = running?.mode == mode.rawValue && !steps.contains(where: \.isChange)
    if report.wasOn { return report }
    if running == nil, mode != .log { report.programs = try programs(isDry: isDry) }
    if isDry { return report }
    try setup.apply(steps, files)
    if let services {
      try services.enable()
      report.isRunning = true
    }
    report.isRestarted = try restartIfWanted(report)
    guard report.isRunning else { return unattended(report) }
    return report
  }

  func turnOff() throws -> GuardSwitchReport {
    var setup = try GuardSetup(places)
    let steps = try setup.planRemoval()
    var report = GuardSwitchReport(mode: nil, steps: steps)
    if try GuardSocket.client() == nil, steps.isEmpty { _ = try GuardCommands.client() }
    let services = steps.contains(where: \.path.isUnit) ? services : nil
    if let services { warnIfRefused(services.disable) }
    if var client = try GuardSocket.client() { _ = try client.ask(GuardVerb.stop.rawValue) }
    try setup.apply(steps, [])
    if let services { warnIfRefused(services.reload) }
    report.isRestarted = try restartIfWanted(report)
    return report
  }
}

extension GuardSwitch {
  /// Whether the running guard is the one of this installation, which may be changed.
  private func isOwn(
    _ running: GuardStatus, _ mode: GuardMode, _ steps: [GuardSetup.Step]
  ) -> Bool {
    guard services != nil else { return GuardMode(rawValue: running.mode) == mode }
    return steps.contains { $0.path.isUnit && $0.change != .write }
  }

  private func files(for mode: GuardMode) throws -> [GuardFile] {
    let software = SoundSoftware.installed()
    if software.script == nil, mode != .log {
      console.note(
        "there is no script for this sound server (\(software)): the guard removes links instead")
    }
    var files: [GuardFile]
    do throws(SystemError) {
      let installed = (BundledSounds.directory ?? "/usr/share/recorder").path(of: "guard")
      files = try GuardFile.forServer(software, mode, places, installedIn: installed)
    } catch {
      throw Failure(
        .notFound, "cannot read the files of the guard: \(error)",
        advice: "install recorder again, with its directory share/recorder/guard")
    }
    let unit = GuardFile.unit(try ExecutablePath.current(), mode, places)
    // A unit stays if systemd cannot be reached from this session.
    if services != nil || (try? FileStatus(of: unit.path.text)) != nil { files.append(unit) }
    return files
  }

  /// Returns the programs that record without a permission, after questions about them.
  private func programs(isDry: Bool) throws -> [UnallowedUse] {
    var authority = try MicrophoneAccess.authority()
    authority.portal = PortalStore.read()
    do {
      let uses = try UnallowedUse.current(by: authority)
      guard canAsk, !isDry, uses.contains(where: \.isOpen) else { return uses }
      for use in uses where use.isOpen { try ask(about: use, authority) }
      return try UnallowedUse.current(by: authority)
    } catch let error as Failure {
      throw error
    } catch {
      console.note("the programs that record now are not known: \(error)")
      return []
    }
  }

  private func ask(about use: UnallowedUse, _ authority: Authority) throws {
    let (program, service) = (use.question.program, use.question.use.service)
    let ending = try GuardCommands.ask(
      program.title, service, use.question.device, program.client)
    switch ending {
    case .answered(.notNow), .answered(.noTerminal): break
    case .answered(.interrupted):
      throw Failure(.interrupted, "interrupted; the guard was not turned on")
    case .answered(let answer):
      let own = MicrophoneAccess.authority(
        authority.acting(for: program.process), about: program.client, console)
      _ = try MicrophoneAccess.outcome(of: .request(answer), use.question.query, by: own)
    case .interrupted(let signal): try? signal.send(to: Environment.processIdentifier)
    }
  }

  /// Warns if systemd refuses something. The files have to be removed anyway.
  private func warnIfRefused(_ call: () throws(UserServices.Refusal) -> Void) {
    do throws(UserServices.Refusal) {
      try call()
    } catch {
      console.warn(Failure(error).message)
    }
  }

  /// Restarts the sound server if its files have changed and the user agrees.
  private func restartIfWanted(_ report: GuardSwitchReport) throws -> Bool {
    guard let services, canAsk, report.changesServer,
      let terminal = PermissionPrompt.foregroundTerminal()
    else { return false }
    let question =
      "The sound server has to restart before the change has an effect. This interrupts all sound.\n"
      + "Restart it now?"
    guard try Prompt(on: terminal).confirm(question) else { return false }
    try services.restartServer()
    return true
  }

  /// Returns the report of a guard that nothing runs, after a message on stderr.
  private func unattended(_ report: GuardSwitchReport) -> GuardSwitchReport {
    console.complain(
      Message(
        "no guard is running: this session has no systemd of the user that could start it",
        advice: [
          "let the session start \"recorder guard run --mode \(report.mode?.rawValue ?? "ask")\", "
            + "for example by a file in ~/.config/autostart"
        ]))
    return report
  }
}
