internal import JSON

/// The page of the exit codes and their meanings.
struct ExitCodePage: Report {
  /// The topic's name for `help`.
  static let topic = "exit-codes"

  func text(_ style: Style) -> String {
    style.heading("Exit codes") + "\n" + exitCodeRows(ExitCode.allCases)
  }

  var json: JSONObject { ["exitCodes": .array(ExitCode.allCases.map(\.json))] }
}

/// The codes and their meanings in two columns.
func exitCodeRows(_ codes: [ExitCode]) -> String {
  codes.map { code in
    let number = String(code.rawValue)
    return String(repeating: " ", count: 5 - number.count) + "\(number)  \(code.meaning)\n"
  }.joined()
}

extension ExitCode {
  /// The code with its meaning.
  var json: JSONValue {
    ["code": rawValue.json, "meaning": .string(meaning)]
  }
}
