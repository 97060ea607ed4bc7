package import JSON

/// What a command found out, as a value that can be shown in two ways.
package protocol Report: Sendable {
  /// How the command ends.
  var exitCode: ExitCode { get }

  /// For a person; a pure function of the report and the style.
  func text(_ style: Style) -> String

  /// For a program, without the `schema` that every result begins with.
  var json: JSONObject { get }

  /// The line of JSON that a program reads.
  var encoded: String { get }
}

extension Report {
  package var exitCode: ExitCode { .done }

  package var encoded: String {
    var object: JSONObject = ["schema": 1]
    for member in json.members { object[member.key] = member.value }
    return JSONValue.object(object).encoded() + "\n"
  }
}
