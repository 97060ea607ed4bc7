package import JSON

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
