import Control
import Testing

@testable import Commands

@Suite("The table of commands")
struct TableTests {
  private func row(_ words: [String], isTyped: Bool = false) -> CommandRow {
    CommandRow(words) { words in
      if !isTyped { Issue.record("\(words) is described, and was not typed") }
      return Command(words, section: .help, summary: "Do nothing", examples: [])
    } run: { _, _ in
      SilentReport(exitCode: .done)
    }
  }

  @Test(
    "Only the command that was typed is described",
    arguments: [["stop"], ["sound", "stop"], ["permission"], ["permission", "policy", "check"]])
  func laziness(typed: [String]) throws {
    let all = [
      ["start"], ["stop"], ["sound", "stop"], ["sound", "pause"],
      ["permission", "policy", "check"],
      ["permission"],
    ]
    // Here each prefix of a command is itself a command, and is described while the words are
    // parsed.
    let table = CommandTable(all.map { row($0, isTyped: typed.starts(with: $0)) })
    let invocation = try Parser.parse(typed, by: table)
    guard case .run(let command) = invocation.action else {
      Issue.record("\(typed) runs nothing")
      return
    }
    #expect(command.words == typed)
  }

  @Test("The version describes no command")
  func version() throws {
    let table = CommandTable([row(["start"]), row(["sound", "stop"])])
    guard case .version = try Parser.parse(["--version"], by: table).action else {
      Issue.record("--version runs a command")
      return
    }
  }

  @Test("A hidden command can be typed, and is on no page")
  func hidden() throws {
    let table = CommandTable([row(["start"], isTyped: true), CommandRow(hidden: Inner.self)])
    #expect(table.contains(["inner"]) && table.next(after: []) == ["start"])
    #expect(!OverviewPage(table: table).text(.plain).contains("inner"))
    #expect(table.nearest(to: ["iner"]).isEmpty)
  }

  @Test(
    "A sound's verb has a command of its name",
    arguments: [
      PlayerVerb.stop, .pause, .resume, .rewind, .replay, .seek, .volume, .mute, .unmute, .prepare,
    ])
  func verbs(verb: PlayerVerb) {
    #expect(CommandTable.standard.function(["sound", verb.rawValue]) != nil)
  }
}

private enum Inner: RunnableCommand {
  static var words: [String] { ["inner"] }
  static var command: Command { Command(words, section: nil, summary: "Inner") }
}
