internal import Control
internal import Linux

/// `status`: what is being recorded.
enum StatusCommand: Carrier {
  static var words: [String] { ["status"] }

  static let prometheus = Flag("prometheus", summary: "For the text files that Prometheus collects")
  static let watch = Flag("watch", short: "w", summary: "Go on showing it, until Ctrl-C")

  static var command: Command {
    Command(
      words, section: .recording, summary: "Show what is being recorded",
      details: [
        "Shows every recording of this user, and those that were interrupted: their files are "
          + "still there. With --watch and no terminal every change is one line of JSON."
      ],
      options: [OptionGroup("Options", [watch, prometheus])],
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
    if arguments[prometheus] {
      if arguments[watch] || console.isJSON {
        throw Failure(.usage, Message("give --prometheus alone"))
      }
      return PrometheusPage(report: link.look(console))
    }
    guard arguments[watch] else { return link.look(console) }
    let isDrawn =
      Terminal.isTerminal(StandardStream.output.rawValue) && !console.isJSON
    let sessions = StatusWatch(link, console)
    do throws(SystemError) {
      while true {
        let report = try sessions.next()
        try StandardStream.output.write(
          isDrawn ? "\u{1B}[H\u{1B}[J" + report.shown(console.style) : report.encoded)
      }
    } catch {
      // A reader that has seen enough is no failure.
      guard error.errno == .brokenPipe else {
        throw Failure(.failed, Message("cannot go on showing it: \(error)"))
      }
      return SilentReport(exitCode: .done)
    }
  }
}
