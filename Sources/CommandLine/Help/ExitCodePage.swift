/// What the exit codes mean, from their enumeration.
struct ExitCodePage: Report {
  /// What `help` is asked for.
  static let topic = "exit-codes"

  func text(_ style: Style) -> String {
    style.heading("Exit codes") + "\n" + exitCodeRows(ExitCode.allCases)
  }
}

/// Codes and their meanings in two columns.
func exitCodeRows(_ codes: [ExitCode]) -> String {
  codes.map { code in
    let number = String(code.rawValue)
    return String(repeating: " ", count: 5 - number.count) + "\(number)  \(code.meaning)\n"
  }.joined()
}
