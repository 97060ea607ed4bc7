internal import Control
package import JSON
package import Linux

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

  /// Whether lines that are too wide for the terminal stay as they are: those of a picture, of a text
  /// for a program, and commands to copy.
  var keepsLines: Bool { get }
}

extension Report {
  /// The text for a terminal, which obeys nothing in it but the style: foreign words that were not
  /// escaped before are escaped here.
  package func shown(_ style: Style) -> String {
    PrintableText.escape(page: text(style), keeping: style.marks)
  }

  /// The text for a stream; on a terminal, lines break at spaces.
  package func shown(_ style: Style, on stream: StandardStream) -> String {
    let page = shown(style)
    guard !keepsLines, let size = Terminal.size(of: stream.rawValue) else { return page }
    return fitted(page, width: size.columns)
  }

  /// By default false.
  package var keepsLines: Bool { false }

  /// By default success.
  package var exitCode: ExitCode { .done }

  /// By default the line of `json`.
  package var encoded: String { encodedObject }

  /// The line of `json`, behind the member `schema`.
  ///
  /// docs/json.md describes every object; a new member is described there.
  var encodedObject: String {
    var object: JSONObject = ["schema": .integer(schemaOfResults)]
    for member in json.members { object[member.key] = member.value }
    return JSONValue.object(object).encoded() + "\n"
  }
}

/// The version of everything that is printed as JSON; files and sockets have versions of their own.
let schemaOfResults: Int64 = 2

/// The report of `--version`: the release of this program.
struct VersionReport: Report {
  func text(_ style: Style) -> String { "recorder \(Version.current)\n" }

  var json: JSONObject { ["version": .string(Version.current)] }
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

  /// The object `error` with the exit code as number and word, message and advice.
  package var json: JSONObject {
    let (code, message) = (failure.code, failure.message)
    return [
      "error": [
        // The number has its former name as well.
        "code": code.rawValue.json, "exit": code.rawValue.json, "reason": code.word.json,
        "message": message.fact.json, "advice": message.remedies.json,
      ]
    ]
  }
}
