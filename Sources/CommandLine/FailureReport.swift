package import JSON

/// Why nothing came of a command, for a program that reads JSON; a person is told on stderr.
package struct FailureReport: Report {
  let failure: Failure

  package init(_ failure: Failure) { self.failure = failure }

  package var exitCode: ExitCode { failure.code }

  package func text(_ style: Style) -> String { "" }

  package var json: JSONObject {
    let (code, message) = (failure.code, failure.message)
    return [
      "error": [
        "code": code.rawValue.json, "message": message.fact.json, "advice": message.advice.json,
      ]
    ]
  }
}
