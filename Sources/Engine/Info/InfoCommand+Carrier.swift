package import CommandLine
internal import Decoding
internal import Linux

extension InfoCommand: Carrier {
  /// Describes each file; unreadable ones are complained of and part of the report.
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let entries = try arguments[files].map { file throws(Failure) in
      try entry(file.text, measuringLevels: arguments[levels], console)
    }
    return InfoReport(entries: entries)
  }

  /// Reads a file in a child process, because the file may come from anybody.
  private static func entry(
    _ path: String, measuringLevels: Bool, _ console: Console
  ) throws(Failure) -> InfoReport.Entry {
    do throws(Failure) {
      let file = try OpenFile.sound(path)
      switch try SoundReading.examine(file, measuringLevels: measuringLevels) {
      case .described(let description):
        if RecordedFile(path).isPart { console.note(Message("\(quoted(path)) is being recorded")) }
        return .file(path: path, description)
      case .problem(let problem): throw Failure(reading: path, problem)
      }
    } catch {
      guard [.notASound, .notFound, .failed].contains(error.code) else { throw error }
      let failure = RecordedFile(path).refusal ?? error
      console.complain(failure.message)
      return .unreadable(path: path, failure)
    }
  }
}
