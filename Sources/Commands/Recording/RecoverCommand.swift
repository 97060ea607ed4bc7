internal import Control
internal import Linux
internal import Store
internal import Takes

/// The command `recover`, which completes the files of interrupted recordings.
package enum RecoverCommand: RunnableCommand {
  /// The word after `recorder`.
  package static var words: [String] { ["recover"] }

  /// The parts, directories or WAV files to recover. If none is given, all parts of this user are
  /// recovered.
  package static let paths = Operand<FilePath>(
    .any, named: "PATH",
    summary: "Interrupted recording, a directory to search, or a WAV file to repair")
  /// The option for a machine that shares the home directory and no longer records.
  package static let from = Option<HostLabel>(
    "from",
    summary: "Include recordings of this lost machine, which shared the home directory")
  /// The flag that lists the parts without changing them.
  package static let list = Flag(
    "list", short: "l", summary: "List interrupted recordings without changing anything")

  /// The description of the command.
  package static var command: Command {
    Command(
      words, section: .recording, summary: "Save interrupted recordings",
      details: [
        "After a crash or a power failure, the audio recorded until then is in a hidden file, "
          + ".FILE.part. recover cuts off its damaged end, corrects its header, adds the marks and "
          + "renames it to FILE-recovered, with a number if that name is taken. Nothing is replaced. "
          + "A crash loses only the last audio: \(CrashCost.words).",
        "Without PATH, saves all interrupted recordings of this user. PATH is the hidden file, the "
          + "FILE that it was recorded for, or a directory. A recording that is still "
          + "running is never touched.",
        "If a hidden file was moved or renamed, give its new PATH. A missing hidden file is reported "
          + "once.",
        "\"recorder start\" with the same FILE recovers its hidden file first.",
        "If PATH is a WAV file, of any program, and is cut short or has extra bytes at its end, recover "
          + "writes a repaired copy next to it, FILE-recovered. The file itself is not changed.",
        "Recordings of other machines that share the home directory are not touched. With --from "
          + "HOST, also saves the recordings of a machine that no longer records.",
      ],
      operands: [paths],
      options: [OptionGroup("Options", [list, from])],
      examples: [
        Example("recorder recover", "Save all interrupted recordings"),
        Example("recorder recover --list", "List them"),
        Example("recorder recover talk.flac", "Save the recording to talk.flac"),
        Example("recorder recover /media/card", "Save the recordings in this directory"),
        Example("recorder recover ./download.wav", "Write a repaired copy, download-recovered.wav"),
      ],
      ends: [.notFound, .alreadyRecording, .outputRefused, .incomplete, .notASound])
  }
}

extension RecoverCommand {
  /// Recovers the named parts, or all parts. A part that fails is in the report, and no error is
  /// thrown for it.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    var store = MachineStore(try SessionPaths.current())
    if let host = arguments[from]?.value { try abandon(host, on: &store) }
    let stores = [store] + store.others.filter { store.isGone($0.owner) }
    let named = arguments[paths].map(\.text)
    var run = RecoverRun(
      store: store, console: console, report: RecoverReport(isList: arguments[list]))
    for (index, store) in stores.enumerated() {
      run.store = store
      store.announcements.addTakes()
      if index == 0 { store.removeAbandoned() }
      if named.isEmpty { run.takeAll() }
      if named.isEmpty { run.takeLost() }
      if !arguments[list] { store.deadSessions.forgetGone() }
      // Named paths are recovered only in the first round, because the search for a part reads the
      // records of all stores.
      for path in named where index == 0 { run.recover(at: path) }
      // Announced takes are added last, because a recovery replaces the announcement of its file.
      store.addAnnouncedTakes(console)
    }
    if named.isEmpty { tellDistant(store, console) }
    return run.report
  }

  /// Treats a machine as permanently gone. Throws if no such machine uses this home directory.
  private static func abandon(_ host: String, on store: inout MachineStore) throws {
    let known =
      store.others.compactMap(\.owner)
      + (store.sessions.records + store.deadSessions.setAside).map(\.host)
    guard known.map(\.name).contains(name: host) else {
      throw Failure(
        .notFound, "no machine called \(quoted(host)) records into this home directory",
        advice: "\"recorder status\" lists the machines that do")
    }
    store.gone = host
  }

  /// Reports the recordings of other machines, which are skipped.
  private static func tellDistant(_ store: MachineStore, _ console: Console) {
    for recording in store.sessions.distant where recording.record.isLeft {
      let (name, host) = (quoted(recording.record.name), quoted(recording.host.name))
      console.note(
        "the recording \(name) belongs to \(host) and was not changed",
        advice: "if that machine will never run again: "
          + "\"recorder recover --from \(printable(recording.host.name))\"")
    }
  }
}

/// One run of `recover`.
private struct RecoverRun {
  var store: MachineStore
  let console: Console
  var report: RecoverReport

  mutating func takeAll() {
    take(PartSearch(store: store).all, isNamed: false)
  }

  /// Reports the recordings whose parts no longer exist. With `--list`, they are reported each
  /// time; without it, each recording is reported only once.
  mutating func takeLost() {
    let lost = store.deadSessions.lost
    report.missing += lost
    if !report.isList { for record in lost { store.deadSessions.noteReported(record) } }
  }

  mutating func recover(at path: String) {
    let isDirectory = (try? FileStatus(of: path))?.kind == .directory
    do {
      // The path is made absolute, because it is stored, and commands run in other directories.
      let parts = try self.parts(at: Program.absolutePath(of: path))
      if parts.isEmpty, (try? FileStatus(of: path))?.kind == .regular {
        report.repairs.append(try FileRepair(of: path, isListed: report.isList))
        return
      }
      guard take(parts, isNamed: !isDirectory) else {
        throw RecordedFile(path).interruption ?? nothing(at: path, isDirectory)
      }
    } catch {
      fail(path, Failure(explaining: error))
    }
  }

  private func parts(at path: String) throws -> [InterruptedPart] {
    try Failure.context("cannot read \(quoted(path))", .outputRefused) {
      try PartSearch(store: store).parts(at: path)
    }
  }

  /// Recovers parts. Returns false if there are none, or if `isNamed` is false and all are still
  /// being recorded.
  @discardableResult
  mutating func take(_ parts: [InterruptedPart], isNamed: Bool) -> Bool {
    let recovery = TakeRecovery(store, reader: ConfinedPartReader(), host: ProgramHost())
    var isAny = false
    if report.isList {
      for part in parts {
        let outcome = Result { try recovery.check(part) }
        if add(part, outcome, isNamed, { report, _ in report.found.append(part) }) { isAny = true }
      }
    } else {
      for (part, outcome) in zip(parts, recovery.recover(parts))
      where add(part, outcome, isNamed, { $0.takes.append($1) }) { isAny = true }
    }
    return isAny
  }

  private mutating func add<Outcome>(
    _ part: InterruptedPart, _ outcome: Result<Outcome, any Error>, _ isNamed: Bool,
    _ note: (inout RecoverReport, Outcome) -> Void
  ) -> Bool {
    do {
      note(&report, try outcome.get())
    } catch {
      let failure = Failure(explaining: error)
      if !isNamed, failure.code == .alreadyRecording {
        console.note(failure.message)
        return false
      }
      fail(part.path, failure)
    }
    return true
  }

  private mutating func fail(_ path: String, _ failure: Failure) {
    console.complain(failure.message)
    report.failures.append((path, failure))
  }

  private func nothing(at path: String, _ isDirectory: Bool) -> Failure {
    let preposition = isDirectory ? "in" : "named"
    return Failure(nothingToRecover: "no interrupted recording \(preposition) \(quoted(path))")
  }
}
