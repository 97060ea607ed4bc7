import Foundation
import Linux
import Support
import Testing

/// Three terminals of one user, made by tmux.
private final class Windows {
  let studio: Studio

  init() throws {
    studio = try Studio()
    try tmux(
      "new-session -d -x 80 -y 24 -s t sh \\; new-window -d -t t:1 sh \\; new-window -d -t t:2 sh")
  }

  deinit { try? tmux("kill-server") }

  func tmux(_ command: String) throws {
    let outcome = try studio.run(
      "export ENV= PS1='$ '; tmux -S \"$HOME/tmux\" -f /dev/null \(command)")
    guard outcome.code == 0 else { throw Studio.NotStarted(outcome: outcome) }
  }

  /// Types a command in a window.
  func type(_ line: String, in window: Int) throws {
    try studio.scratch.write(line + "\n", to: "line")
    try tmux("load-buffer line \\; paste-buffer -t t:\(window)")
  }

  /// Types a command in a window and waits for its end. Returns its exit code and its output.
  func run(_ command: String, in window: Int) throws -> Outcome {
    try type("{ cd; \(command); } > out 2> err; echo $? > code.new; mv code.new code", in: window)
    return try studio.run(
      "await [ -e code ]; cat out; cat err >&2; exit $(cat code; rm code)")
  }
}

@Suite("Several terminals", .timeLimit(.minutes(10)), .requires(tool: "tmux"))
struct TerminalTests {
  @Test("Each of three terminals can watch and control the same recording")
  func three() throws {
    let windows = try Windows()
    #expect(try windows.run("$recorder start -d test:ramp a.wav", in: 0).code == 0)
    try windows.type("cd; $recorder wait > waited; echo $? > ended.new; mv ended.new ended", in: 0)
    #expect(try windows.run("$recorder pause", in: 1).output.contains("default: paused"))
    #expect(try windows.run("$recorder status", in: 2).output.contains("default: paused"))
    #expect(try windows.run("$recorder resume", in: 2).output.contains("default: recording"))
    #expect(try windows.run("$recorder mark here", in: 1).output.hasSuffix(": here\n"))
    #expect(try windows.run("$recorder start -d test:ramp b.wav", in: 2).code == 11)
    let stopped = try windows.run("$recorder stop", in: 2)
    #expect(stopped.code == 0 && stopped.output.hasPrefix("Saved "))
    let waited = try windows.studio.run("await [ -e ended ]; cat ended waited")
    #expect(waited.output == "0\n" + stopped.output)
    let numbers = Studio.ramp(try #require(try windows.studio.soundBytes("a.wav")))
    #expect(numbers.first == 0 && numbers.jumps.count == 1)
  }

  @Test("When terminals close, a background recording continues and a foreground one is saved")
  func closed() throws {
    let windows = try Windows()
    let studio = windows.studio
    #expect(try windows.run("$recorder start -d test:ramp a.wav", in: 0).code == 0)
    try windows.type("cd; $recorder start -d test:ramp --foreground --name here b.wav", in: 1)
    try studio.run("await '$recorder status | grep -q \"^here: recording\"'")
    try windows.tmux("kill-server")
    try studio.run("await [ -e b.wav ]")
    #expect(try studio.run("$recorder status").output.hasPrefix("default: recording\n"))
    #expect(try studio.run("$recorder stop").code == 0)
    for name in ["a.wav", "b.wav"] {
      let numbers = Studio.ramp(try #require(try studio.soundBytes(name)))
      #expect(!numbers.isEmpty && firstBreak(in: numbers) == nil)
    }
    #expect(try studio.processes().isEmpty && studio.sockets().isEmpty)
  }
}

@Suite("Signals", .timeLimit(.minutes(10)))
struct SignalTests {
  @Test(
    "Further signals while the file is being finished change nothing", arguments: ["wav", "flac"])
  func whileFinishing(suffix: String) throws {
    let studio = try Studio()
    let held = try studio.preloading("stall", "STALL=$HOME/still")
    let outcome = try studio.run(
      """
      \(held) "$recorder" start -d test:ramp a.\(suffix) --json > started; captured 0.3; touch still
      pid=$(number pid < started); kill -INT $pid
      # One after the other, as two that arrive together may count as one.
      for signal in INT TERM QUIT INT; do sleep 0.1; kill -$signal $pid && echo sent; done
      rm still; "$recorder" wait > /dev/null
      """)
    #expect(outcome == Outcome(code: 0, output: "sent\nsent\nsent\nsent\n", errors: ""))
    let numbers = Studio.ramp(try #require(try studio.soundBytes("a.\(suffix)")))
    #expect(numbers.count > 9_000 && firstBreak(in: numbers) == nil)
  }

  @Test("A signal in the first moments of a start leaves no file, or a saved one")
  func firstMoments() throws {
    let studio = try Studio()
    for delay in stride(from: 0, to: 40, by: 2) {
      let outcome = try studio.run(
        """
        "$recorder" start -d test:ramp --foreground a.wav > /dev/null 2>&1 & moment 0.0\(delay < 10 ? "0" : "")\(delay)
        kill -TERM $!; wait $!; code=$?; ls -A | grep wav; rm -f a.wav; exit $code
        """)
      // The code is 143 if the signal came before the program could handle it.
      let isSaved = outcome.code == 0 && outcome.output == "a.wav\n"
      let isNothing = [15, 143].contains(outcome.code) && outcome.output == ""
      #expect(isSaved || isNothing, "after \(delay) ms: \(outcome)")
    }
    #expect(try studio.processes().isEmpty && studio.sockets().isEmpty)
  }

  @Test("A foreground recording is saved when the terminal closes", arguments: ["HUP", "QUIT"])
  func foreground(signal: String) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" start -d test:ramp --foreground a.wav > out & captured 0.3
      kill -\(signal) $!; wait $!
      """)
    #expect(try outcome.code == 0 && studio.soundBytes("a.wav") != nil)
  }
}

@Suite("In a terminal of 40 columns", .timeLimit(.minutes(5)))
struct NarrowTerminalTests {
  @Test(
    "a list fits, except for long words such as paths",
    arguments: [
      "doctor", "devices", "config", "permission", "permission status", "sound list", "status", "",
      "help", "help exit-codes", "help topics", "mark --help", "permission log",
    ])
  func fits(command: String) throws {
    let studio = try Studio(granting: !command.isEmpty)
    let outcome = try studio.run(
      """
      export NO_COLOR=1
      script -qec 'stty cols 40; "$recorder" \(command)' /dev/null < /dev/null
      """)
    check(outcome)
  }

  private func check(_ outcome: Outcome) {
    let lines = outcome.output.split(whereSeparator: \.isNewline)
    #expect(!lines.isEmpty, "\(outcome)")
    for line in lines where line.count > 40 {
      #expect(line.split(separator: " ").contains { $0.count > 30 }, "\(line)")
    }
  }

  @Test("a sentence breaks at spaces, and a pipe gets it in one line")
  func sentences() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      export NO_COLOR=1
      $recorder start -q -d test:tone a.wav
      script -qec 'stty cols 40; $recorder cancel; $recorder undo; $recorder trash a.wav' /dev/null < /dev/null
      """)
    check(outcome)
    let words = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("To restore it: recorder undo"), "\(outcome)")
    let piped = try studio.run("$recorder undo; $recorder start -q -d test:tone; $recorder cancel")
    #expect(piped.output.contains("in the trash. To restore it: recorder undo\n"), "\(piped)")
  }

  @Test("the volume and a muted sound are shown")
  func sounds() throws {
    let theatre = try Theatre()
    try theatre.run("play umbrella --loop --detach")
    let outcome = try theatre.studio.run(
      """
      export NO_COLOR=1
      script -qec 'stty cols 40; $recorder sound volume umbrella 0.5; $recorder sound mute umbrella' \
        /dev/null < /dev/null
      """)
    check(outcome)
    #expect(outcome.output.contains("  volume 50%"), "\(outcome)")
    #expect(outcome.output.contains("  muted, volume 50%"), "\(outcome)")
  }
}
