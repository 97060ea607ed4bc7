internal import Linux

/// The way out: results to stdout, everything else to stderr.
package struct Console: Sendable {
  /// How the result may stand out.
  package let style: Style
  /// Whether the result is printed as JSON.
  package let isJSON: Bool
  /// True if notes and warnings are left out.
  let isQuiet: Bool

  /// The way out of a thread that was given none.
  package init() { self.init(Arguments()) }

  init(_ arguments: Arguments) {
    isJSON = arguments[GlobalOption.json]
    isQuiet = arguments[GlobalOption.quiet]
    style = Self.style(of: .output)
  }

  /// Says why something was not done.
  package func complain(_ message: Message) { say(message, .error) }

  /// Says what may surprise, unless told to be quiet.
  package func warn(_ message: Message) { if !isQuiet { say(message, .warning) } }

  /// Says what is good to know, unless told to be quiet.
  package func note(_ message: Message) { if !isQuiet { say(message, .note) } }

  /// Shows a page to somebody who did not ask for a result.
  func explain(_ report: any Report) {
    try? StandardStream.error.write(report.shown(Self.style(of: .error)) + "\n")
  }

  private func say(_ message: Message, _ kind: Message.Kind) {
    // Nobody can be told that nobody can be told.
    let width = Terminal.size(of: StandardStream.error.rawValue)?.columns
    try? StandardStream.error.write(message.lines(kind, width: width))
  }

  /// Writes a result to stderr, where stdout carries sound.
  package func tell(_ report: any Report) {
    try? StandardStream.error.write(isJSON ? report.encoded : report.shown(.plain))
  }

  /// Writes a result; a reader that has seen enough is no failure.
  package func print(_ text: String) throws(Failure) {
    do throws(SystemError) {
      try StandardStream.output.write(text)
    } catch {
      guard error.errno != .brokenPipe else { return }
      throw Failure(.failed, Message("cannot write the result to stdout: \(error.errno)"))
    }
  }

  /// Writes what a command found out, in the form that was asked for.
  func print(_ report: any Report) throws(Failure) {
    try print(isJSON ? report.encoded : report.shown(style))
  }

  private static func isSet(_ name: String) -> Bool {
    Environment.value(of: name)?.isEmpty == false
  }

  private static func style(of stream: StandardStream) -> Style {
    let wantsPlain = isSet("NO_COLOR") || Environment.value(of: "TERM") == "dumb"
    return Terminal.isTerminal(stream.rawValue) && !wantsPlain ? .colored : .plain
  }
}
