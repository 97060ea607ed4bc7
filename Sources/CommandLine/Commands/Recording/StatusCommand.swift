internal import Control
internal import Linux

/// `status`: what is being recorded.
enum StatusCommand: Carrier {
  static var words: [String] { ["status"] }

  static let watch = Flag("watch", short: "w", summary: "Go on showing it, until Ctrl-C")

  static var command: Command {
    Command(
      words, section: .recording, summary: "Show what is being recorded",
      details: [
        "Shows every recording of this user, and those that were interrupted: their files are "
          + "still there. With --watch and no terminal each look is one line of JSON."
      ],
      options: [OptionGroup("Options", [watch])],
      examples: [
        Example("recorder status", "What is being recorded"),
        Example("recorder status --watch", "With meters that move"),
        Example("recorder status --json", "The same for a program"),
      ])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    guard arguments[watch] else { return look(link, console) }
    let isDrawn =
      Terminal.isTerminal(StandardStream.output.rawValue) && !console.isJSON
    while true {
      let report = look(link, console)
      try show(isDrawn ? "\u{1B}[H\u{1B}[J" + report.text(console.style) : report.encoded)
      KernelClock.sleep(.milliseconds(200))
    }
  }

  private static func look(_ link: SessionLink, _ console: Console) -> StatusReport {
    StatusReport(recordings: link.statuses(console), interrupted: link.interrupted())
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
