import Foundation
import Linux
import Support
import Testing

@Suite("On a terminal", .timeLimit(.minutes(10)), .requires(tool: "setsid"))
struct WatchTests {
  private func settled(
    _ arguments: [String], _ environment: [String: String?],
    _ body: (borrowing PseudoTerminal) throws -> Void
  ) throws -> ChildProcess.Ending {
    let terminal = try PseudoTerminal()
    let before = TerminalState(of: terminal.terminal)
    let variables = ["TERM": "xterm"].merging(environment) { $1 }
    let child = try terminal.start(Products.recorder, arguments, environment: variables)
    try body(terminal)
    let ending = try child.wait()
    #expect(TerminalState(of: terminal.terminal) == before)
    return ending
  }

  @Test("q leaves status --watch, which redraws its meters, and the recording continues")
  func leaves() throws {
    let studio = try Studio()
    try studio.run("$recorder start -d test:tone a.wav")
    let ending = try settled(["status", "--watch"], studio.environment) { terminal in
      let shown = try terminal.read(until: "written ")
      #expect(shown.contains("\u{1B}[H"))
      // Each channel of the tone has its own bar.
      try terminal.read(until: "\n1 [")
      try terminal.read(until: "####")
      try terminal.read(until: "\n2 [")
      try terminal.type("xq")
    }
    #expect(ending == .exited(0))
    #expect(try studio.run("$recorder stop").code == 0)
  }

  @Test("q leaves sound status --watch", .requires(tool: "setsid"))
  func leavesSounds() throws {
    let theatre = try Theatre()
    try theatre.run("play umbrella --loop --detach")
    let ending = try settled(["sound", "status", "--watch"], theatre.studio.environment) {
      try $0.read(until: "umbrella")
      try $0.type("q")
    }
    #expect(ending == .exited(0))
  }

  @Test(
    "Ctrl-C ends a watch like any other program, with the terminal restored",
    arguments: [["status", "--watch"], ["sound", "status", "--watch"]])
  func interrupted(arguments: [String]) throws {
    let studio = try Studio()
    let ending = try settled(arguments, studio.environment) {
      try $0.read(until: "q closes this view")
      try $0.type("\u{3}")
    }
    #expect(ending == .killed(.interrupt), "\(ending)")
  }

  /// Commands that would draw on a terminal, each with words from the last text that it prints.
  static let drawn: [([String], String)] = [
    (["meter", "-d", "test:tone", "--duration", "1s"], "dB  max"),
    (["status", "--watch"], "b  REC  "),
    (["start", "-d", "test:tone", "--foreground", "--duration", "1s", "FILE"], "Reason"),
    (["sound", "status", "--watch"], "No sound is active"), (["doctor"], "Sound "),
    (["takes"], "no takes"), (["status"], "Nothing is being recorded"),
    (["permission"], "policy check"),
  ]

  @Test("A dumb terminal gets no escape sequences", arguments: drawn)
  func dumb(arguments: [String], words: String) throws {
    let studio = try Studio()
    let isWatched = arguments.contains("--watch")
    if isWatched { try studio.run("$recorder start -n b -d test:tone b.wav") }
    var environment = studio.environment
    environment["TERM"] = "dumb"
    var shown = ""
    let arguments = arguments.map { $0 == "FILE" ? studio.scratch.path("f.wav") : $0 }
    _ = try settled(arguments, environment) { terminal in
      shown = try terminal.read(until: words)
      if isWatched { try terminal.type("q") }
    }
    #expect(!shown.contains("\u{1B}"), "\(shown)")
  }

  /// Runs a shell with job control, so that Ctrl-Z and `fg` work.
  private func shell(
    _ environment: [String: String?], _ body: (borrowing PseudoTerminal) throws -> Void
  ) throws {
    let terminal = try PseudoTerminal()
    let variables: [String: String?] = ["PS1": "ready$ ", "recorder": try Products.recorder]
      .merging(environment) { $1 }
    let child = try terminal.start("bash", ["--norc", "-i"], environment: variables)
    try terminal.read(until: "ready$ ")
    try body(terminal)
    // A program that is about to end could read a typed "exit", and a shell that shows its prompt
    // may not react to a signal before the next key.
    _ = consume terminal
    _ = try child.wait()
  }

  @Test(
    "Ctrl-Z stops the meter with the terminal given back, and it continues", .requires(tool: "bash")
  )
  func stoppedMeter() throws {
    let studio = try Studio()
    try shell(studio.environment) { terminal in
      try terminal.type("cd; $recorder meter -d test:tone\n")
      try terminal.read(until: "max -20.0 dB")
      try terminal.type("\u{1A}")
      try terminal.read(until: "Stopped")
      // The shell has the terminal again, and it echoes input. The typed words differ from the
      // expected ones, because the input is echoed as well.
      try terminal.type("stty -a; echo all' 'shown\n")
      let mode = try terminal.read(until: "all shown")
      #expect(mode.contains(" icanon") && mode.contains(" echo "), "\(mode)")
      try terminal.type("fg\n")
      let shown = try terminal.read(until: "max -20.0 dB")
      #expect(!shown.contains("warning"), "\(shown)")
      try terminal.type("q")
      try terminal.read(until: "ready$ ")
      try terminal.type("echo code $?\n")
      try terminal.read(until: "code 0")
    }
  }

  /// Commands with a view, each with words that the view shows.
  static let views: [([String], String)] = [
    (["start", "-d", "test:tone", "--foreground", "FILE"], "written "),
    (["meter", "-d", "test:tone"], "max -20.0 dB"), (["status", "--watch"], "Nothing is"),
    (["play", "-d", "test:null", "SOUND"], "PLAY"),
  ]

  @Test(
    "Every end gives the terminal back: signals, a crash, the window closed", arguments: views,
    [
      Signal.terminate, .interrupt, .hangUp, .quit, Signal(rawValue: SIGSEGV),
      Signal(rawValue: SIGABRT),
    ])
  func everyEnd(view: ([String], String), signal: Signal) throws {
    let theatre = try Theatre()
    try theatre.studio.run("$recorder permission grant")
    try theatre.ramp("sound.wav", frames: 48_000 * 20)
    let names = ["FILE": "f.wav", "SOUND": "sound.wav"].mapValues { theatre.scratch.path($0) }
    let terminal = try PseudoTerminal()
    let before = TerminalState(of: terminal.terminal)
    let child = try terminal.start(
      Products.recorder, view.0.map { names[$0] ?? $0 },
      environment: ["TERM": "xterm", "SWIFT_BACKTRACE": "enable=no"]
        .merging(theatre.studio.environment) { $1 })
    try terminal.read(until: view.1)
    #expect(TerminalState(of: terminal.terminal) != before)
    try child.send(signal)
    _ = try child.wait()
    #expect(TerminalState(of: terminal.terminal) == before)
  }

  @Test("Ctrl-Z pauses a waiting play, and fg continues it", .requires(tool: "bash"))
  func stoppedPlay() throws {
    let theatre = try Theatre()
    try shell(theatre.studio.environment) { terminal in
      try terminal.type("cd; $recorder play umbrella --loop -d test:null\n")
      #expect(try theatre.wait { $0["umbrella"]?["state"] as? String == "playing" })
      try terminal.type("\u{1A}")
      try terminal.read(until: "Stopped")
      #expect(try theatre.wait { $0["umbrella"]?["state"] as? String == "paused" })
      let place = try theatre.status()["umbrella"]?["position"] as? Double
      // Meanwhile another sound plays to its end on the same device.
      #expect(try theatre.run("play click").code == 0)
      #expect(try theatre.status()["umbrella"]?["position"] as? Double == place)
      try terminal.type("fg\n")
      #expect(try theatre.wait { $0["umbrella"]?["state"] as? String == "playing" })
      try terminal.type("\u{3}")
      #expect(try theatre.wait { $0["umbrella"]?["state"] as? String != "playing" })
    }
  }

  @Test(
    "Ctrl-Z stops a play immediately, also while the player does not answer",
    .requires(tool: "bash"))
  func stoppedWithoutAnswer() throws {
    let theatre = try Theatre()
    try theatre.ramp("talk.wav", frames: 48_000 * 60)
    let path = theatre.scratch.path("talk.wav")
    try shell(theatre.studio.environment) { terminal in
      try terminal.type("cd; $recorder play -d test:null ./talk.wav\n")
      try terminal.read(until: "PLAY")
      let player = try pid_t(#require(theatre.studio.processes().first))
      kill(player, SIGSTOP)
      defer { kill(player, SIGCONT) }
      try terminal.type("\u{1A}")
      _ = try terminal.read(until: "Stopped", limit: .seconds(3))
      kill(player, SIGCONT)
      #expect(try theatre.wait { $0[path]?["state"] as? String == "paused" })
      try terminal.type("fg\n")
      #expect(try theatre.wait { $0[path]?["state"] as? String == "playing" })
      try terminal.type("q")
      try terminal.read(until: "ready$ ")
    }
  }
}
