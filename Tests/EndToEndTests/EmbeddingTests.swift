import Foundation
import Support
import Testing

@Suite("A program with a player of its own", .timeLimit(.minutes(5)))
struct EmbeddingTests {
  private static let resources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Resources").path

  private func play(_ name: String, in scratch: borrowing ScratchDirectory) throws -> Tool.Outcome {
    try Tool.run(
      Products.path("embedding"), [scratch.path("memory"), Self.resources, name, "test:null"],
      environment: scratch.asHome.merging(["XDG_RUNTIME_DIR": scratch.path]) { $1 })
  }

  @Test("plays a sound by its name, and does not use the player of the user")
  func plays() throws {
    let scratch = try ScratchDirectory()
    let outcome = try play("click", in: scratch)
    #expect(outcome.code == 0 && outcome.outputText == "click ended\n", "\(outcome.errorText)")
    #expect(try scratch.names() == ["memory"])
  }

  @Test("gets the reason if the sound does not exist")
  func refused() throws {
    let scratch = try ScratchDirectory()
    let outcome = try play("clik", in: scratch)
    #expect(outcome.code != 0)
    #expect(outcome.errorText.contains("notFound"))
  }

  @Test(
    "starts no process and keeps its signals", .requires(tool: "strace"),
    arguments: ["click", "alarm"])
  func alone(name: String) throws {
    let scratch = try ScratchDirectory()
    let outcome = try Tool.run(
      "strace",
      [
        "-f", "-qq", "-e", "trace=%process,rt_sigaction,signalfd4", "-e", "signal=none",
        "-o", scratch.path("trace"), Products.path("embedding"), scratch.path("memory"),
        Self.resources, name, "test:null",
      ], environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(outcome.code == 0 && outcome.outputText == "\(name) ended\n", "\(outcome.errorText)")
    let calls = String(decoding: try scratch.read("trace"), as: UTF8.self).split(separator: "\n")
    // strace prints a call that another thread interrupted in two lines. The second has no flags.
    let started = calls.filter { call in
      !call.contains("resumed>")
        && (call.contains("fork") || call.contains("clone") && !call.contains("CLONE_THREAD"))
    }
    #expect(started.isEmpty && calls.count { $0.contains("execve") } == 1, "\(started)")
    // The C library uses `SIGRT_1` itself, from the first thread on.
    let signals = calls.filter { call in
      ["rt_sigaction(", "signalfd4("].contains { call.contains($0) } && !call.contains("SIGRT_1")
    }
    #expect(signals.isEmpty, "\(signals)")
  }
}

@Suite("A program with a recording of its own", .timeLimit(.minutes(5)))
struct HostedRecordingTests {
  private static let resources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Resources").path

  /// Starts such a program, whose process ID is `$host`. Runs a script once the recording is
  /// listed, and returns the lines of the output.
  private func run(_ script: String, in studio: Studio) throws -> [String] {
    let outcome = try studio.run(
      """
      '\(Products.path("embedding"))' memory '\(Self.resources)' click test:null "$HOME/a.wav" > out &
      host=$!
      await '"$recorder" status --json | grep -q "\\"name\\":\\"embedded\\".*\\"segment\\":2"'
      \(script)
      wait $host; echo "host $?"; cat out
      """)
    #expect(outcome.code == 0, "\(outcome)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  @Test("Its recording is listed and stopped by the commands, with its pause, mark and files")
  func stopped() throws {
    let studio = try Studio()
    let lines = try run("\"$recorder\" stop embedded > /dev/null; echo $?", in: studio)
    let second = studio.scratch.path("a-002.wav")
    #expect(lines == ["0", "host 0", "click ended", "\(second) stopped 1 2 0"])
    let numbers = try studio.decoded(["a.wav", "a-002.wav"])
    #expect(numbers[0].jumps.count <= 1, "the pause alone")
    #expect(!numbers[1].isEmpty)
    #expect(try studio.json("takes")["takes"].map { ($0 as? [Any])?.count == 2 } == true)
  }

  @Test("Its recording ends when the access is revoked, and the program continues")
  func revoked() throws {
    let studio = try Studio()
    let lines = try run(
      "\"$recorder\" permission revoke --force > /dev/null; echo $?", in: studio)
    let second = studio.scratch.path("a-002.wav")
    #expect(lines == ["0", "host 0", "click ended", "\(second) permission 1 2 24"])
  }

  @Test("Its result reports a file that is not in the list of takes")
  func unlisted() throws {
    let studio = try Studio()
    let lines = try run(
      """
      list=$state/takes.jsonl; await [ -s $list ]; rm $list; mkdir $list
      "$recorder" stop embedded > said; echo $?
      """, in: studio)
    let second = studio.scratch.path("a-002.wav")
    #expect(lines == ["14", "host 0", "click ended", "\(second) stopped 1 2 14"])
  }

  @Test("Its recording is recovered after a kill, except for at most the last half second")
  func killed() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      '\(Products.path("embedding"))' memory '\(Self.resources)' click test:null "$HOME/a.wav" > out &
      host=$!
      await '"$recorder" status --json | grep -q "\\"name\\":\\"embedded\\".*\\"segment\\":2"'
      captured +1 embedded; heard=$("$recorder" status --json | grep -o '"onDisk":[0-9]*')
      kill -9 $host; wait $host 2> /dev/null
      "$recorder" recover > /dev/null; echo "$? $heard"
      """)
    #expect(outcome.output.hasPrefix("0 "), "\(outcome)")
    let heard = try #require(Int(outcome.output.drop { $0 != ":" }.dropFirst().dropLast()))
    let saved = try studio.decoded(["a.wav", "a-002-recovered.wav"]).joined().count
    #expect(saved > heard - 24_000, "\(saved) of \(heard)")
  }

  @Test("It is never killed, even if it does not answer")
  func frozen() throws {
    let studio = try Studio()
    let lines = try run(
      """
      kill -STOP $host; "$recorder" permission revoke --force > /dev/null 2>&1; echo $?
      kill -CONT $host
      """, in: studio)
    #expect(lines.prefix(2) == ["26", "host 0"])
  }
}
