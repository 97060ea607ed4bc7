internal import Control
package import JSON
package import Linux

/// The result of a command as a value, shown as text or as JSON.
package protocol Report: Sendable {
  /// The exit code of the command.
  var exitCode: ExitCode { get }

  /// Formats the text for a person. The text depends only on the report and the style.
  func text(_ style: Style) -> String

  /// The object for a program, without the member `schema`, which begins every result.
  var json: JSONObject { get }

  /// The line of JSON for a program.
  var encoded: String { get }

  /// Whether lines stay unwrapped even if they are too wide for the terminal. True for a picture,
  /// for a text that a program reads, and for commands to copy.
  var keepsLines: Bool { get }
}

extension Report {
  /// Returns the text for a terminal. Control characters are escaped, except line ends, tabs and
  /// the marks of the style.
  package func shown(_ style: Style) -> String {
    PrintableText.escape(page: text(style), keeping: style.marks)
  }

  /// Returns the text for a stream. On a terminal, long lines are wrapped at spaces.
  package func shown(_ style: Style, on stream: StandardStream) -> String {
    let page = shown(style)
    guard !keepsLines, let size = Terminal.size(of: stream.rawValue) else { return page }
    return fitted(page, width: size.columns)
  }

  /// False by default.
  package var keepsLines: Bool { false }

  /// Success by default.
  package var exitCode: ExitCode { .done }

  /// The object `json` as one line, by default.
  package var encoded: String { encodedObject }

  /// One line of JSON: the member `schema`, followed by the members of `json`.
  ///
  /// docs/json.md describes every object; describe new members there.
  var encodedObject: String {
    var object: JSONObject = ["schema": .integer(schemaOfResults)]
    for member in json.members { object[member.key] = member.value }
    return JSONValue.object(object).encoded() + "\n"
  }
}

/// The version of all JSON output. Files and sockets have versions of their own.
let schemaOfResults: Int64 = 2

/// The report of `--version`: the version of this program.
struct VersionReport: Report {
  func text(_ style: Style) -> String { "recorder \(Version.current)\n" }

  var json: JSONObject { ["version": .string(Version.current)] }
}

/// The failure of a command in JSON. A person reads the message on stderr.
package struct FailureReport: Report {
  let failure: Failure

  /// Creates the report of a failure that is also shown on stderr.
  package init(_ failure: Failure) { self.failure = failure }

  /// The exit code of the failure.
  package var exitCode: ExitCode { failure.code }

  /// Empty: stderr has the message.
  package func text(_ style: Style) -> String { "" }

  /// The object `error`: the exit code as a number and as a word, the message and the advice.
  package var json: JSONObject {
    let (code, message) = (failure.code, failure.message)
    return [
      "error": [
        "exit": code.rawValue.json, "reason": code.word.json,
        "message": message.fact.json, "advice": message.remedies.json,
      ]
    ]
  }
}

extension Failure {
  /// Returns the entry of a file that could not be used, for a list of files.
  func json(at path: String) -> JSONValue {
    ["path": path.json, "error": message.fact.json, "exit": code.rawValue.json]
  }
}
