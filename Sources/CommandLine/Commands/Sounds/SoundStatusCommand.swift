internal import Control
internal import JSON
internal import Linux

/// `sound status`: what plays.
enum SoundStatusCommand: Carrier {
  static var words: [String] { ["sound", "status"] }

  static let watch = Flag("watch", short: "w", summary: "Show it again and again")

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Show what plays",
      details: [
        "Shows each sound that was played lately: what it does, where it is, how loud it is. With "
          + "--watch and no terminal each look is one line of JSON."
      ],
      options: [OptionGroup("Options", [watch])],
      examples: [
        Example("recorder sound status", "What plays"),
        Example("recorder sound status --watch", "The same, as it goes on"),
        Example("recorder sound status --json", "The same for a program"),
      ])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    guard arguments[watch] else { return try look() }
    let isDrawn = Terminal.isTerminal(StandardStream.output.rawValue) && !console.isJSON
    while true {
      let report = try look()
      try show(isDrawn ? "\u{1B}[H\u{1B}[J" + report.shown(console.style) : report.encoded)
      KernelClock.sleep(.milliseconds(200))
    }
  }

  private static func look() throws(Failure) -> SoundStatusReport {
    guard var link = try PlayerLink.running() else { return SoundStatusReport(sounds: []) }
    return try SoundStatusReport(link.ask("status"))
  }

  /// A reader that has left ends the watch.
  private static func show(_ text: String) throws(Failure) {
    do throws(SystemError) {
      try StandardStream.output.write(text)
    } catch {
      throw Failure(
        error.errno == .brokenPipe ? .done : .failed,
        Message("nobody reads any more: \(error.errno)"))
    }
  }
}
