internal import Control
internal import Store

/// The command `stop`, which ends a recording and saves it.
enum StopCommand: Carrier {
  static var words: [String] { ["stop"] }

  static let all = Flag("all", short: "a", summary: "Every recording of this user")

  static var command: Command {
    Command(
      words, section: .recording, summary: "Stop a recording and save it",
      details: [
        "Returns when the file is complete and on the disk. A recording that has ended by itself is "
          + "told once, by the first stop or wait, with its exit code."
      ],
      operands: [RecordingName.operand],
      options: [OptionGroup("Options", [all])],
      examples: [
        Example("recorder stop", "End the recording"),
        Example("recorder stop log", "End the recording that is called log"),
        Example("recorder stop --all", "End all"),
      ],
      ends: [.notFound, .incomplete, .nothingCaptured, .outputRefused] + WaitCommand.permissionEnds)
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    guard arguments[all] else {
      let result = try link.result(
        of: RecordingName.given(arguments, link, all: true), asking: "stop")
      return RecordingReport(result)
    }
    guard arguments[RecordingName.operand].isEmpty else {
      throw Failure(.usage, Message("give a name or --all, not both"))
    }
    return try stopAll(link, console)
  }

  private static func stopAll(_ link: SessionLink, _ console: Console) throws(Failure) -> any Report
  {
    let names = link.store.records.compactMap { SessionName($0.name) }.filter(link.store.isLive)
    guard !names.isEmpty else {
      throw Failure(.notFound, Message("nothing is being recorded"))
    }
    var results: [RecordingResult] = []
    var failure: ExitCode?
    for name in names {
      do throws(Failure) {
        results.append(try link.result(of: name, asking: "stop"))
      } catch {
        failure = failure ?? error.code
        console.complain(error.message)
      }
    }
    return RecordingReport(results, isList: true, failure: failure)
  }
}
