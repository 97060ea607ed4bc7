package import JSON
internal import Linux

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
  /// The text as it goes to a terminal, which obeys nothing in it but the style: foreign words that
  /// were not escaped where they came in are here.
  package func shown(_ style: Style) -> String {
    PrintableText.escape(page: text(style), keeping: style.marks)
  }

  package var exitCode: ExitCode { .done }

  package var encoded: String {
    var object: JSONObject = ["schema": 1]
    for member in json.members { object[member.key] = member.value }
    return JSONValue.object(object).encoded() + "\n"
  }
}
