internal import Control
internal import JSON
internal import Linux

/// The command `sound status`, which lists the player's sounds.
enum SoundStatusCommand: Carrier {
  static var words: [String] { ["sound", "status"] }

  static let watch = Flag(
    "watch", short: "w", summary: "Show it again and again, until q or Ctrl-C")

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
    let screen = isDrawn ? try WatchScreen() : nil
    while screen?.isOver() != true {
      let report = try look()
      do throws(SystemError) {
        try show(report, on: screen, console)
      } catch {
        // A reader that closed the pipe ends the watch.
        if error.errno == .brokenPipe { break }
        throw Failure(.failed, Message("cannot show the status any more: \(error.errno)"))
      }
    }
    return SilentReport(exitCode: .done)
  }

  /// Shows the report, and waits for the next update.
  private static func show(
    _ report: SoundStatusReport, on screen: WatchScreen?, _ console: Console
  ) throws(SystemError) {
    guard let screen else {
      try StandardStream.output.write(report.encoded)
      return KernelClock.sleep(pace)
    }
    try screen.draw(report.shown(console.style))
    var poll = Poll(capacity: 2)
    for number in screen.numbers { poll.add(number) }
    try poll.wait(upTo: pace)
  }

  private static let pace = Duration.milliseconds(200)

  private static func look() throws(Failure) -> SoundStatusReport {
    guard var link = try PlayerLink.running() else { return SoundStatusReport(sounds: []) }
    return try SoundStatusReport(link.ask("status"))
  }
}
