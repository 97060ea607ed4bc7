import Control
import Testing

@testable import CommandLine

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

  @Test("The engine's functions are added, and its internal commands are on no page")
  func engine() throws {
    let table = CommandTable([CommandRow(inEngine: Outer.self), row(["start"])])
    let whole = table.adding([Outer.self, Inner.self])
    #expect(table.function(["outer"]) == nil && whole.function(["outer"]) != nil)
    #expect(!table.contains(["inner"]) && whole.function(["inner"]) != nil)
    let page = OverviewPage(table: CommandTable.standard.adding([Inner.self])).text(.plain)
    #expect(!page.contains("inner"))
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

private enum Outer: RunnableCommand {
  static var words: [String] { ["outer"] }
  static var command: Command { Command(words, section: .help, summary: "Outer", examples: []) }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report { SilentReport(exitCode: .done) }
}

private enum Inner: RunnableCommand {
  static var words: [String] { ["inner"] }
  static var command: Command { Command(internal: words, summary: "Inner") }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report { SilentReport(exitCode: .done) }
}
