internal import Control
package import JSON
internal import Linux

/// The result of a command as a value, shown as text or as JSON.
package protocol Report: Sendable {
  /// The exit code of the command.
  var exitCode: ExitCode { get }

  /// The text for a person; a pure function of the report and the style.
  func text(_ style: Style) -> String

  /// The object for a program, without the `schema` that every result begins with.
  var json: JSONObject { get }

  /// The line of JSON for a program.
  var encoded: String { get }
}

extension Report {
  /// The text for a terminal, which obeys nothing in it but the style: foreign words that were not
  /// escaped before are escaped here.
  package func shown(_ style: Style) -> String {
    PrintableText.escape(page: text(style), keeping: style.marks)
  }

  /// By default success.
  package var exitCode: ExitCode { .done }

  /// By default `json` after the member `schema`, with a newline.
  package var encoded: String {
    var object: JSONObject = ["schema": 1]
    for member in json.members { object[member.key] = member.value }
    return JSONValue.object(object).encoded() + "\n"
  }
}

/// The report of `--version`: the release of this program.
struct VersionReport: Report {
  func text(_ style: Style) -> String { "recorder \(Version.current)\n" }

  var json: JSONObject { ["version": .string(Version.current)] }
}
