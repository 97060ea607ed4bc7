internal import Control
internal import Linux

/// The command `status`, which lists the running recordings.
enum StatusCommand: Carrier {
  static var words: [String] { ["status"] }

  static let prometheus = Flag("prometheus", summary: "For the text files that Prometheus collects")
  static let watch = Flag("watch", short: "w", summary: "Show it with meters, until q or Ctrl-C")

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
    let screen = isDrawn ? try WatchScreen() : nil
    let sessions = StatusWatch(link, console, screen)
    do throws(SystemError) {
      while screen?.isOver() != true {
        let report = try sessions.next()
        if let screen {
          try screen.draw(report.shown(console.style))
        } else {
          try StandardStream.output.write(report.encoded)
        }
      }
      return SilentReport(exitCode: .done)
    } catch {
      // A reader that closed the pipe is not an error.
      guard error.errno == .brokenPipe else {
        throw Failure(.failed, Message("cannot show the status any more: \(error)"))
      }
      return SilentReport(exitCode: .done)
    }
  }
}
