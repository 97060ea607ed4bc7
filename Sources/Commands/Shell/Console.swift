internal import Linux

/// The output of a command: results to stdout, everything else to stderr.
package struct Console: Sendable {
  /// The style of results: colored only on a terminal.
  package let style: Style
  /// Whether the result is printed as JSON.
  package let isJSON: Bool
  /// Whether notes and warnings are suppressed.
  let isQuiet: Bool

  /// Creates a console without options: for errors before the arguments are parsed, and for code
  /// that has no console of its own.
  package init() { self.init(Arguments(), .plain) }

  /// - Parameter style: the style of results.
  init(_ arguments: Arguments, _ style: Style) {
    isJSON = arguments[GlobalOption.json]
    isQuiet = arguments[GlobalOption.quiet]
    self.style = style
  }

  /// Writes an error to stderr.
  package func complain(_ message: Message) { say(message, .error) }

  /// Writes a warning to stderr, unless `--quiet` is given.
  package func warn(_ message: Message) { if !isQuiet { say(message, .warning) } }

  /// Writes a note to stderr, unless `--quiet` is given.
  package func note(_ message: Message) { if !isQuiet { say(message, .note) } }

  /// Writes a warning of whole sentences to stderr, unless `--quiet` is given.
  func warn(_ fact: String, advice: String? = nil) { warn(Message(fact, advice: advice)) }

  /// Writes a note of whole sentences to stderr, unless `--quiet` is given.
  func note(_ fact: String, advice: String? = nil) { note(Message(fact, advice: advice)) }

  /// Writes a page to stderr that the user did not request, such as the overview after an error.
  func explain(_ report: any Report, _ style: Style) {
    try? StandardStream.error.write(report.shown(style, on: .error) + "\n")
  }

  private func say(_ message: Message, _ kind: Message.Kind) {
    let width = Terminal.size(of: StandardStream.error.rawValue)?.columns
    // A failure to write to stderr cannot be reported.
    try? StandardStream.error.write(message.lines(kind, width: width))
  }

  /// Writes a result to stderr while stdout carries audio.
  package func printToStderr(_ report: any Report) {
    try? StandardStream.error.write(isJSON ? report.encoded : report.shown(.plain, on: .error))
  }

  /// Writes a result to stderr if `--json` is given, for a command whose stdout carries other
  /// output. Returns a report that prints nothing.
  func aside(_ report: any Report) -> any Report {
    if isJSON { printToStderr(report) }
    return SilentReport(exitCode: report.exitCode)
  }

  /// Runs a command whose stdout may carry audio. If `isNeeded` is true and `--json` is given, a
  /// failure is also written to stderr as JSON.
  func reportingToStderr(
    if isNeeded: Bool, _ body: () throws -> any Report
  ) rethrows -> any Report {
    do {
      return try body()
    } catch let error where isNeeded && isJSON {
      let failure = Failure(explaining: error)
      complain(failure.message)
      printToStderr(FailureReport(failure))
      return SilentReport(exitCode: failure.code)
    }
  }

  /// Writes a result to stdout. It is not an error if the reader has closed the pipe.
  package func print(_ text: String) throws {
    _ = try hasReader { try StandardStream.output.write(text) }
  }

  /// Writes a report to stdout: as JSON if `--json` is given, else as text.
  func print(_ report: any Report) throws {
    try print(isJSON ? report.encoded : report.shown(style, on: .output))
  }
}

/// Runs `write`, which writes to stdout. Returns false if the reader has closed the pipe; this is
/// not an error.
func hasReader(_ write: () throws -> Void) throws -> Bool {
  // Swift 6.3 crashes if a `catch … where` of a typed error is not exhaustive and the function
  // throws `any Error`. Therefore `do` states the type of the error here and in similar code
  // elsewhere.
  do throws(any Error) {
    try write()
    return true
  } catch let error as SystemError where error.errno == .brokenPipe {
    return false
  }
}
