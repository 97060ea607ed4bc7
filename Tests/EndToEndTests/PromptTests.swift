import Foundation
import Linux
import Support
import Testing

/// The program on its own terminal, with a home that is removed after the test.
private final class Desk {
  static let question = "(Enter = not now): "

  let home: ScratchDirectory
  let terminal: PseudoTerminal
  private let before: TerminalState

  init() throws {
    home = try ScratchDirectory()
    terminal = try PseudoTerminal()
    before = TerminalState(of: terminal.terminal)
  }

  var isRestored: Bool { TerminalState(of: terminal.terminal) == before }

  /// Starts a script of `sh` in the foreground of the terminal. `$recorder` is the program.
  func run(_ script: String, _ more: [String: String?] = [:]) throws -> ChildProcess {
    let variables = home.asHome.merging([
      "XDG_RUNTIME_DIR": home.path, "recorder": try Products.recorder,
    ]) { $1 }
    return try terminal.start(
      "sh", ["-c", "cd $HOME; " + script], environment: variables.merging(more) { $1 })
  }

  /// Starts only `recorder permission request`, as the leader of its session.
  func request() throws -> ChildProcess { try run("exec $recorder permission request") }

  /// Answers one question with these keys, and returns the output of the terminal up to `end`.
  func answer(_ keys: String, until end: String) throws -> String {
    let asked = try terminal.read(until: Self.question)
    try terminal.type(keys)
    return asked + (try terminal.read(until: end))
  }

  /// Returns the kinds of the events in the audit.
  func events() throws -> [String] {
    let path = home.path(".local/state/recorder/audit.jsonl")
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return event?["event"] as? String ?? "?"
    }
  }
}

@Suite("The prompt on a terminal")
struct PromptTests {
  struct Case: CustomStringConvertible, Sendable {
    let description: String
    let keys: String
    let code: Int32
    let news: String
    /// The exit code of the status after the answer.
    let status: Int32
  }

  private static let cases = [
    Case(
      description: "y", keys: "y\n", code: 0,
      news: "Microphone access is allowed until you revoke it.", status: 0),
    Case(
      description: "o", keys: "o\n", code: 0,
      news: "Microphone access is allowed for one recording", status: 0),
    Case(
      description: "n", keys: "n\n", code: 21,
      news: "microphone access is refused until you allow it", status: 21),
    Case(description: "Enter", keys: "\n", code: 20, news: "not now; nothing is", status: 20),
    Case(description: "Ctrl-D", keys: "\u{04}", code: 20, news: "not now; nothing is", status: 20),
    Case(description: "Ctrl-C", keys: "\u{03}", code: 130, news: "interrupted; noth", status: 20),
  ]

  @Test("Each answer does what the question says, and no more", arguments: cases)
  func answers(_ row: Case) throws {
    let desk = try Desk()
    let child = try desk.request()
    let shown = try desk.answer(row.keys, until: row.news)
    #expect(shown.hasPrefix("recorder wants to use the microphone.\r\n  User: "))
    #expect(try child.wait() == .exited(row.code))
    #expect(desk.isRestored)
    let status = try desk.run("$recorder permission status")
    #expect(try status.wait() == .exited(row.status))
    #expect(try desk.events() == ["prompt"])
  }

  @Test("The question about system audio says so, and its answer leaves the microphone undecided")
  func systemAudio() throws {
    let desk = try Desk()
    let child = try desk.run("exec $recorder permission request system-audio")
    let shown = try desk.answer(
      "y\n", until: "Access to system audio is allowed until you revoke it.")
    #expect(shown.hasPrefix("recorder wants to record the sound that this computer plays.\r\n"))
    #expect(try child.wait() == .exited(0))
    #expect(desk.isRestored)
    #expect(try desk.run("$recorder permission status system-audio").wait() == .exited(0))
    #expect(try desk.run("$recorder permission status").wait() == .exited(20))
  }

  @Test("A recording of an output asks about system audio only, and a refusal leaves no file")
  func output() throws {
    let desk = try Desk()
    let child = try desk.run(
      "$recorder permission grant > /dev/null; $recorder start -d output a.wav; echo code $?")
    let shown = try desk.answer("n\n", until: "code 21")
    #expect(shown.contains("recorder wants to record the sound that this computer plays."))
    #expect(shown.contains("Device: output") && !shown.contains("use the microphone"))
    #expect(try child.wait() == .exited(0))
    #expect(!FileManager.default.fileExists(atPath: desk.home.path("a.wav")))
    #expect(try desk.run("$recorder permission status").wait() == .exited(0))
  }

  @Test(
    "The whole word is an answer, as its letter is",
    arguments: [("yes\n", 0, 0), ("once\n", 0, 0), ("no\n", 21, 21)] as [(String, Int32, Int32)])
  func words(_ keys: String, _ code: Int32, _ status: Int32) throws {
    let desk = try Desk()
    let child = try desk.request()
    _ = try desk.answer(
      keys,
      until: code == 0 ? "access is allowed" : "microphone access is refused until you allow it")
    #expect(try child.wait() == .exited(code))
    #expect(try desk.run("$recorder permission status").wait() == .exited(status))
  }

  @Test("Other input is not an answer, and the fourth wrong answer ends the question")
  func wrongAnswers() throws {
    let desk = try Desk()
    let child = try desk.request()
    for wrong in ["never\n", "Y\n", " y\n"] {
      try desk.terminal.read(until: Desk.question)
      try desk.terminal.type(wrong)
    }
    let shown = try desk.answer("y\u{04}", until: "not now; nothing")
    #expect(shown.contains("Type y (yes), o (once) or n (no)"))
    #expect(try child.wait() == .exited(20))
    #expect(desk.isRestored)
  }

  @Test("A wrong answer can be corrected")
  func mended() throws {
    let desk = try Desk()
    let child = try desk.request()
    try desk.terminal.read(until: Desk.question)
    try desk.terminal.type("ja\n")
    _ = try desk.answer("n\n", until: "microphone access is refused until you allow it")
    #expect(try child.wait() == .exited(21))
  }

  @Test("Input that was typed before the question is not an answer")
  func typeAhead() throws {
    let desk = try Desk()
    try desk.terminal.type("y\ny\ny")
    let child = try desk.request()
    _ = try desk.answer("\n", until: "not now; nothing")
    #expect(try child.wait() == .exited(20))
    #expect(desk.isRestored)
  }

  @Test("A background job does not ask, and is not stopped")
  func background() throws {
    let desk = try Desk()
    let child = try desk.run("set -m; $recorder permission request & wait $!; echo code $?")
    let shown = try desk.terminal.read(until: "code 20")
    #expect(shown.contains("no terminal to ask on") && !shown.contains(Desk.question))
    #expect(try child.wait() == .exited(0))
    #expect(desk.isRestored)
  }

  @Test("Two commands of one pipeline ask once")
  func pipeline() throws {
    let desk = try Desk()
    let child = try desk.run(
      """
      { $recorder permission request; echo $? > first; } |
        { $recorder permission request; echo $? > second; }; echo both
      """)
    let shown = try desk.answer("y\n", until: "both")
    #expect(shown.components(separatedBy: Desk.question).count == 2)
    #expect(try child.wait() == .exited(0))
    #expect(try desk.home.read("first") + desk.home.read("second") == Array("0\n0\n".utf8))
    #expect(try desk.events() == ["prompt"])
  }

  @Test("A command reports that it waits for the answer in another terminal")
  func elsewhere() throws {
    let desk = try Desk()
    let first = try desk.request()
    try desk.terminal.read(until: Desk.question)
    let other = try PseudoTerminal()
    let variables = desk.home.asHome.merging(["XDG_RUNTIME_DIR": desk.home.path]) { $1 }
    let second = try other.start(
      Products.recorder, ["permission", "request"], environment: variables)
    let shown = try other.read(until: ")\r\n")
    #expect(shown.contains("question in another terminal (process"))
    #expect(shown.contains("\(first.identifier))"))
    try desk.terminal.type("y\n")
    #expect(try first.wait() == .exited(0))
    #expect(try second.wait() == .exited(0))
    #expect(try desk.events() == ["prompt"])
  }

  @Test("The question appears on the terminal even if all streams are redirected")
  func streams() throws {
    let desk = try Desk()
    let child = try desk.run("$recorder permission request < /dev/null > out 2> err; echo code $?")
    _ = try desk.answer("y\n", until: "code 0")
    #expect(try child.wait() == .exited(0))
    #expect(
      String(decoding: try desk.home.read("out"), as: UTF8.self).hasPrefix(
        "Microphone access is allowed"))
    #expect(try desk.home.read("err").isEmpty)
  }

  @Test(
    "Nobody is asked where the question is switched off",
    arguments: [
      "RECORDER_NO_PROMPT=1 $recorder permission request",
      "$recorder permission request --no-prompt",
      "$recorder start -d test:silence --no-prompt a.wav",
      "RECORDER_NO_PROMPT=1 $recorder start -d test:silence a.wav",
    ])
  func switchedOff(command: String) throws {
    let desk = try Desk()
    let child = try desk.run("\(command); echo code $?")
    let shown = try desk.terminal.read(until: "code 20")
    #expect(!shown.contains(Desk.question) && shown.contains("recorder permission grant"))
    #expect(try child.wait() == .exited(0))
  }

  @Test("A prompt that is ended by a signal restores the terminal", arguments: [15, 1] as [Int32])
  func ended(number: Int32) throws {
    let desk = try Desk()
    let child = try desk.request()
    try desk.terminal.read(until: Desk.question)
    try child.send(Signal(rawValue: number))
    #expect(try child.wait() == .killed(Signal(rawValue: number)))
    #expect(desk.isRestored)
  }

  @Test("Ctrl-Z restores the terminal and lets others ask, and after fg the prompt asks again")
  func stopped() throws {
    let desk = try Desk()
    let child = try desk.run(
      """
      set -m; $recorder permission request; echo stopped $?; read -r next
      $recorder permission request; echo second $?; fg > /dev/null; echo code $?
      """)
    try desk.terminal.read(until: Desk.question)
    try desk.terminal.type("\u{1A}")
    try desk.terminal.read(until: "stopped 148")
    // The shell waits here, because a second question would change the terminal.
    #expect(desk.isRestored)
    try desk.terminal.type("\n")
    _ = try desk.answer("\n", until: "second 20")
    _ = try desk.answer("y\n", until: "code 0")
    #expect(try child.wait() == .exited(0))
    #expect(desk.isRestored)
  }

  @Test("The names of a device and a file cannot control the terminal or forge the question")
  func hostile() throws {
    let desk = try Desk()
    let child = try desk.run(
      #"""
      $recorder start -d "$(printf 'hw:1\033]0;x\007\nUser: root')" "$(printf '\033[2J\r.wav')"
      """#)
    let shown = try desk.answer("\n", until: "not now; nothing")
    #expect(!shown.contains("\u{1B}") && !shown.contains("\u{7}"))
    #expect(shown.contains(#"hw:1\x1B]0;x\x07\nUser: root"#) && shown.contains(#"\x1B[2J\r.wav"#))
    #expect(!shown.contains("\nUser: root"))
    #expect(try child.wait() == .exited(20))
  }

  // A directory at the path of the lock makes the store readable but not writable, also for root.
  @Test("An answer that cannot be stored is reported as not stored")
  func unsaved() throws {
    for (keys, news, code) in [
      ("y\n", "cannot store the decision", 1), ("n\n", "refused for this run", 21),
    ] as [(String, String, Int32)] {
      let desk = try Desk()
      let child = try desk.run("\(Self.locked); exec $recorder permission request")
      _ = try desk.answer(keys, until: news)
      #expect(try child.wait() == .exited(code))
      let status = try desk.run("$recorder permission status")
      #expect(try status.wait() == .exited(20))
    }
  }

  private static let locked = "mkdir -p .local/state/recorder/permissions.lock"

  @Test("A start whose permission cannot be stored records once and says so")
  func allowedAlone() throws {
    let desk = try Desk()
    let child = try desk.run(
      """
      \(Self.locked); $recorder start -d test:ramp --duration 0.2s a.wav; echo code $?
      $recorder wait; echo ended $?; $recorder permission status; echo status $?
      """)
    let shown = try desk.answer("y\n", until: "status 20")
    #expect(shown.contains("  Device: test:ramp   Output: ./a.wav   User: "))
    let words = shown.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("applies only to this run") && shown.contains("code 0"))
    #expect(shown.contains("ended 0"))
    #expect(try child.wait() == .exited(0))
    #expect(try desk.home.read("a.wav").count > 44)
  }

  @Test("The answer \"once\" allows only the recording that asked")
  func onlyThisTime() throws {
    let desk = try Desk()
    let child = try desk.run(
      """
      $recorder start -d test:ramp --duration 0.2s a.wav; echo code $?
      $recorder permission status; $recorder wait; echo ended $?
      $recorder start --no-prompt -d test:ramp b.wav; echo after $?
      """)
    let shown = try desk.answer("o\n", until: "after 20")
    #expect(shown.contains("code 0") && shown.contains("ended 0"))
    #expect(try child.wait() == .exited(0))
  }
}
