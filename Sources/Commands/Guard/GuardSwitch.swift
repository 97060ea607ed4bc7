internal import Control
internal import Guard
internal import Linux
internal import Permission
internal import Sounds

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
    let running = try RunningGuard.status()
    if let running, !isOwn(running, mode) {
      throw Failure(GuardError.alreadyRunning(running.process))
    }
    var report = GuardSwitchReport(mode: mode, isDry: isDry, steps: steps)
    report.isRunning = running != nil
    report.wasOn = running?.mode == mode.rawValue && !steps.contains(where: \.isChange)
    if report.wasOn { return report }
    // A guard that was running has already cut off undecided programs, except in the mode `log`.
    let isOpen = running.map { GuardMode(rawValue: $0.mode) == .log } ?? true
    if isOpen, mode != .log { report.programs = try programs(isDry: isDry) }
    if isDry { return report }
    try requireNone(of: report.undecided)
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
    if try RunningGuard.connected() == nil, steps.isEmpty { _ = try RunningGuard.client() }
    let hasUnit = steps.contains(where: \.path.isUnit)
    let services = hasUnit ? services : nil
    if hasUnit, services == nil {
      console.warn(
        Message(
          "systemd cannot be reached from here, so it still knows the guard's unit, and may start the "
            + "guard again",
          advice: "in a session of the desktop, run \"systemctl --user daemon-reload\""))
    }
    if let services { warnIfRefused(services.disable) }
    if var client = try RunningGuard.connected() { _ = try RunningGuard.ask(&client, .stop) }
    try setup.apply(steps, [])
    if let services { warnIfRefused(services.reload) }
    report.isRestarted = try restartIfWanted(report)
    return report
  }
}

extension GuardSwitch {
  /// Returns whether this command may keep or change the running guard. If systemd is reachable, it
  /// must run the guard. Otherwise, the guard must already run in `mode`.
  private func isOwn(_ running: GuardStatus, _ mode: GuardMode) -> Bool {
    guard let services else { return GuardMode(rawValue: running.mode) == mode }
    return services.process() == running.process
  }

  private func files(for mode: GuardMode) throws -> [GuardFile] {
    let software = SoundSoftware.installed()
    if software.script == nil, mode != .log {
      console.note(
        "there is no script for this sound server (\(software)), so the guard removes links after the "
          + "server has made them")
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
    // An existing unit is kept if systemd cannot be reached from this session.
    if services != nil || (try? FileStatus(of: unit.path.text)) != nil { files.append(unit) }
    return files
  }

  /// Asks about the programs that record now, if questions are possible and `isDry` is false.
  /// Returns the programs that have no permission after the answers.
  private func programs(
    isDry: Bool
  ) throws -> [(use: GuardedUse, status: AuthorizationStatus)] {
    let questions: [GuardQuestion]
    do {
      questions = try GuardQuestion.current()
    } catch {
      console.note("the programs that record now are not known: \(error)")
      return []
    }
    var authority = MicrophoneAccess.authority(
      try MicrophoneAccess.authority(), about: questions.map(\.program.client), console)
    var found: [(use: GuardedUse, status: AuthorizationStatus)] = []
    for question in questions {
      var decision = authority.decide(question.query)
      if canAsk, !isDry, decision.noPrompt == nil, let after = try ask(question, authority) {
        authority.portal = after.portal
        decision = after.decide()
      }
      if decision.status != .authorized { found.append((GuardedUse(question), decision.status)) }
    }
    return found
  }

  /// Throws if there is an undecided program. The guard would cut off this program, although the
  /// user has not refused it.
  private func requireNone(of undecided: [GuardedUse]) throws {
    guard !undecided.isEmpty else { return }
    let programs = undecided.map { use in
      let service = Service(rawValue: use.service).map { " \($0.word)" } ?? ""
      let client = use.program.flatMap(Client.init(program:))?.option ?? ""
      return "\(use.words): recorder permission grant\(service)\(client)"
    }
    throw Failure(
      .permissionNotDetermined,
      "the guard is still off: it would end recordings of programs that you have not decided about",
      advice: programs + ["to refuse a program, type \"revoke\" instead of \"grant\""])
  }

  /// Asks about a program. Returns the situation after the answer, or nil if nothing was decided.
  private func ask(_ question: GuardQuestion, _ authority: Authority) throws -> Situation? {
    let program = question.program
    let answer = try RunningGuard.ask(
      program.title, question.use.service, question.device, program.client)
    switch answer {
    case .notNow, .noTerminal: return nil
    case .interrupted: throw Failure(.interrupted, "interrupted; the guard was not turned on")
    case .always, .onlyThisTime, .never:
      let own = authority.acting(for: program.process)
      return try MicrophoneAccess.outcome(of: .request(answer), question.query, by: own).after
    }
  }

  /// Runs a call of systemd. If systemd refuses the call, prints only a warning, because the files
  /// must be removed in any case.
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

  /// Prints a message that no guard is running, and returns the report.
  private func unattended(_ report: GuardSwitchReport) -> GuardSwitchReport {
    console.complain(
      Message(
        "no guard is running: there is no systemd of this user that could start a guard",
        advice: [
          "let the session start \"recorder guard run --mode \(report.mode?.rawValue ?? "ask")\", "
            + "for example by a file in ~/.config/autostart"
        ]))
    return report
  }
}
