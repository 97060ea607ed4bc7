import Foundation
import Support
import Testing

@Suite("The command line")
struct ShellTests {
  @Test("The version is one line")
  func version() throws {
    #expect(
      try sh("$recorder --version") == Outcome(code: 0, output: "recorder 1.0.0-beta\n", errors: "")
    )
  }

  @Test("The version is also available as JSON")
  func versionJSON() throws {
    #expect(
      try sh("$recorder --version --json").output == #"{"schema":2,"version":"1.0.0-beta"}"# + "\n")
  }

  @Test(
    "Help that was asked for is a result",
    arguments: ["--help", "help", "help info", "info --help", "help exit-codes", "devices -h"])
  func help(line: String) throws {
    let outcome = try sh("$recorder \(line)")
    #expect(outcome.code == 0 && outcome.errors == "" && !outcome.isColored)
    #expect(outcome.output.split(separator: "\n").count > 5)
  }

  @Test("Without a command the usage goes to stderr")
  func noCommand() throws {
    let outcome = try sh("$recorder")
    #expect(outcome.code == 64 && outcome.output == "")
    #expect(outcome.errors.contains("Usage\n") && outcome.errors.contains("no command given"))
  }

  @Test(
    "Wrong usage is reported in at most two lines on stderr",
    arguments: [
      ("devcies", "recorder: unknown command \"devcies\"; did you mean \"devices\"?"),
      ("info --levls x", "recorder: unknown option \"--levls\"; did you mean \"--levels\"?"),
      ("info", "recorder: \"info\" needs a FILE"),
      ("devices up", "recorder: DIRECTION: \"up\" is not valid; use capture or playback"),
      ("--json=1", "recorder: \"--json\" takes no value"),
      ("info \"$(printf '\\377')\"", "recorder: an argument is not UTF-8 text"),
      ("help devcies", "recorder: unknown command \"devcies\"; did you mean \"devices\"?"),
    ])
  func wrongUsage(line: String, told: String) throws {
    let outcome = try sh("$recorder \(line)")
    #expect(outcome.code == 64 && outcome.output == "")
    let lines = outcome.errors.split(separator: "\n").map(String.init)
    #expect(lines.first == told)
    #expect(lines.count <= 2 && lines.allSatisfy { $0.hasPrefix("recorder: ") })
  }

  @Test("Arguments cannot control the terminal")
  func hostileArgument() throws {
    let outcome = try sh("$recorder \"$(printf '\\033]0;x\\007')\"")
    #expect(outcome.code == 64 && !outcome.isColored && !outcome.errors.contains("\u{7}"))
  }
}

@Suite("The result on stdout")
struct StandardOutputTests {
  static let commands = ["--version", "help", "info --help", "devices", "config", "devices --json"]

  @Test("A full stdout is reported as a failure", arguments: commands)
  func full(line: String) throws {
    let outcome = try sh("$recorder \(line) > /dev/full")
    #expect(outcome.code == 1)
    #expect(
      outcome.errors.contains(
        "recorder: cannot write \"stdout\": No space left on device\n"))
  }

  @Test("A closed stdout is reported as a failure", arguments: commands)
  func closed(line: String) throws {
    let outcome = try sh("$recorder \(line) >&-")
    #expect(outcome.code == 1)
    #expect(
      outcome.errors.contains("recorder: cannot write \"stdout\": Bad file descriptor\n"))
  }

  @Test(
    "A reader that has left is no failure", arguments: ["--version", "help", "help exit-codes"])
  func brokenPipe(line: String) throws {
    let scratch = try ScratchDirectory()
    // A pipe can be opened for writing only while it has a reader. Then the reader leaves.
    let setUp = "mkfifo \(scratch.path)/p; exec 3<>\(scratch.path)/p 4>\(scratch.path)/p 3>&-; "
    let outcome = try sh(setUp + "$recorder \(line) >&4")
    #expect(outcome == Outcome(code: 0, output: "", errors: ""))
  }

  @Test("A result keeps its exit code if it cannot be printed")
  func failedResult() throws {
    let scratch = try ScratchDirectory()
    let outcome = try sh(
      "cd \"$HOME\"; $recorder info --json none.wav > /dev/full", environment: scratch.asHome)
    #expect(outcome.code == 10, "\(outcome)")
    #expect(outcome.errors.contains("cannot write \"stdout\": No space left on device\n"))
  }

  @Test(
    "A reader of a sound or a picture that has left is no failure",
    arguments: ["export a.wav -", "show --png - a.wav"])
  func brokenSoundPipe(line: String) throws {
    let scratch = try ScratchDirectory()
    let outcome = try sh(
      """
      cd "$HOME"; sox -D -n -r 8000 -b 16 a.wav trim 0 1; mkfifo p; exec 3<>p 4>p 3>&-
      $recorder \(line) >&4
      """, environment: scratch.asHome)
    #expect(outcome == Outcome(code: 0, output: "", errors: ""))
  }

  @Test(
    "The JSON of a failure goes to stderr if stdout carries a sound or a picture",
    arguments: [
      "start - --json --rate abc", "start --json -o - --bits 12", "start -qo- --json --rate abc",
      "start --output=- --json --deny", "start - --json none.wav", "tap --json --rate zzz",
      "--json tap none", "export none.wav - --json", "export --json none.wav - --rate abc",
      "show --png - none.wav --json", "show --svg=- none.wav --json --width x",
    ])
  func failureAside(line: String) throws {
    let scratch = try ScratchDirectory()
    let outcome = try sh("cd \"$HOME\"; $recorder \(line)", environment: scratch.asHome)
    #expect(outcome.code != 0 && outcome.output == "", "\(outcome)")
    let last = try #require(outcome.errors.split(separator: "\n").last)
    let error = try parsed(String(last))["error"] as? [String: Any]
    #expect(error?["exit"] as? Int == outcome.code.map { Int($0) }, "\(outcome)")
  }

  @Test("A limit on the size of files is reported as a failure, and does not kill the program")
  func fileSizeLimit() throws {
    let scratch = try ScratchDirectory()
    let outcome = try sh("ulimit -f 0; $recorder help > \(scratch.path)/out")
    #expect(outcome.code == 1 && outcome.errors.contains("File too large"))
  }

  @Test("Closed streams that are not needed are not a failure")
  func closedInput() throws {
    #expect(try sh("$recorder --version <&- 2>&-").output == "recorder 1.0.0-beta\n")
  }

  @Test("No environment variable is required")
  func emptyEnvironment() throws {
    #expect(try sh("exec env -i $recorder help") == sh("$recorder help"))
  }

  @Test(
    "Colour is for terminals, and for those who did not refuse it", .requires(tool: "setsid"),
    arguments: [
      ([:], true), (["NO_COLOR": "1"], false), (["NO_COLOR": ""], true), (["TERM": "dumb"], false),
    ] as [([String: String], Bool)])
  func color(environment: [String: String], expected: Bool) throws {
    let terminal = try PseudoTerminal()
    let variables: [String: String?] = ["TERM": "xterm", "NO_COLOR": nil]
    let child = try terminal.start(
      Products.recorder, ["help"], environment: variables.merging(environment) { $1 })
    let shown = try terminal.read(until: "with examples.")
    #expect(try child.wait() == .exited(0))
    #expect(shown.contains("\u{1B}") == expected)
  }
}
