package import JSON
package import Linux

/// The reason that a command failed, with its exit code.
package struct Failure: Error, Hashable, Sendable {
  /// The exit code of the process.
  package let code: ExitCode
  /// The message for stderr, which JSON repeats.
  package let message: Message

  /// A failure that ends the command with `code`.
  package init(_ code: ExitCode, _ message: Message) {
    self.code = code
    self.message = message
  }
}

/// The failure of a command for a program that reads JSON; a person reads it on stderr.
package struct FailureReport: Report {
  let failure: Failure

  /// The report of a failure that stderr shows as well.
  package init(_ failure: Failure) { self.failure = failure }

  /// The exit code of the failure.
  package var exitCode: ExitCode { failure.code }

  /// Empty: stderr has the message.
  package func text(_ style: Style) -> String { "" }

  /// The object `error` with code, message and advice.
  package var json: JSONObject {
    let (code, message) = (failure.code, failure.message)
    return [
      "error": [
        "code": code.rawValue.json, "message": message.fact.json, "advice": message.advice.json,
      ]
    ]
  }
}

extension Failure {
  /// The failure to use a directory of the program that cannot be trusted.
  package init(unusable refusal: DirectoryRefusal) {
    self.init(
      .failed,
      Message(
        "a directory of recorder cannot be used: \(refusal)",
        advice: refusal.remedy().map { "to repair that, \($0)" }))
  }
}

extension Failure {
  /// The failure to start a take on a disk with less free space than `--min-free`.
  package init(tooLittleSpace free: Int64, of floor: Int64, for path: String) {
    self.init(
      .outputRefused,
      Message(
        "cannot record to", on: path,
        why: "\(ByteCount(free)) free on that disk, less than --min-free \(ByteCount(floor))",
        advice: "make room, record to another disk, or give a lower --min-free"))
  }
}
