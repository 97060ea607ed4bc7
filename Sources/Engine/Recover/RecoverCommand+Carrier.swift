package import CommandLine
internal import Control
internal import Linux

extension RecoverCommand: Carrier {
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let shelf: SessionShelf
    do throws(DirectoryRefusal) {
      shelf = SessionShelf(try SessionPlaces.current())
    } catch {
      throw Failure(unusable: error)
    }
    shelf.settle()
    shelf.removeAbandoned()
    var run = RecoverRun(shelf: shelf, console: console, isList: arguments[list])
    let named = arguments[paths].map(\.text)
    if named.isEmpty {
      for part in PartSearch(shelf: shelf).all { run.take(part, isNamed: false) }
    }
    for path in named { run.look(at: path) }
    return run.report
  }
}

/// One run of `recover`.
private struct RecoverRun {
  let shelf: SessionShelf
  let console: Console
  var report: RecoverReport

  init(shelf: SessionShelf, console: Console, isList: Bool) {
    self.shelf = shelf
    self.console = console
    report = RecoverReport(isList: isList)
  }

  mutating func look(at path: String) {
    let isDirectory = (try? FileStatus(of: path))?.kind == .directory
    do throws(Failure) {
      // The list of takes is read from other directories.
      let parts = try PartSearch(shelf: shelf).parts(at: Program.absolutePath(of: path))
      var isAny = false
      for part in parts where take(part, isNamed: !isDirectory) { isAny = true }
      if !isAny { throw nothing(at: path, isDirectory) }
    } catch {
      fail(path, error)
    }
  }

  /// Recovers a part; false for one that still records and was not meant alone.
  @discardableResult
  mutating func take(_ part: InterruptedPart, isNamed: Bool) -> Bool {
    do throws(Failure) {
      let recovery = TakeRecovery(shelf)
      if report.isList {
        try recovery.check(part)
        report.found.append(part)
      } else {
        report.takes.append(try recovery.recover(part))
      }
    } catch {
      if !isNamed, error.code == .alreadyRecording {
        console.note(error.message)
        return false
      }
      fail(part.path, error)
    }
    return true
  }

  private mutating func fail(_ path: String, _ failure: Failure) {
    console.complain(failure.message)
    report.failures.append((path, failure))
  }

  private func nothing(at path: String, _ isDirectory: Bool) -> Failure {
    let isThere = (try? FileStatus(of: path)) != nil
    let fact =
      isDirectory
      ? "no interrupted recording in \(quoted(path))"
      : isThere ? "\(quoted(path)) is whole" : "no interrupted recording named \(quoted(path))"
    return Failure(
      .notFound,
      Message(
        "nothing to recover: \(fact)",
        advice: "\"recorder recover --list\" lists the interrupted recordings"))
  }
}
