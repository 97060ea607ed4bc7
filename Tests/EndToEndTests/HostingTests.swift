import Foundation
import Linux
import Support
import Testing

@Suite("A program that asks for the microphone in its terminal", .timeLimit(.minutes(5)))
final class HostingPromptTests {
  private let home: ScratchDirectory

  init() throws { home = try ScratchDirectory() }

  private var environment: [String: String?] {
    home.asHome.merging(["XDG_RUNTIME_DIR": home.path]) { $1 }
  }

  @Test(
    "gets the answer that was typed",
    arguments: [
      ("y\n", "authorized"), ("n\n", "denied"), ("\n", "notDetermined"),
    ])
  func answered(keys: String, status: String) throws {
    let terminal = try PseudoTerminal()
    let program = try terminal.start(
      try Products.path("hosting"), ["ask", "memo"], environment: environment)
    let asked = try terminal.read(until: "(Enter = not now): ")
    #expect(asked.contains("memo"), "\(asked)")
    try terminal.type(keys)
    try terminal.read(until: status)
    #expect(try program.wait() == .exited(0))
  }

  @Test("gets the reason if the command is not installed")
  func missing() throws {
    let alone = home.path("hosting")
    try FileManager.default.copyItem(atPath: try Products.path("hosting"), toPath: alone)
    let terminal = try PseudoTerminal()
    let program = try terminal.start(
      alone, ["ask", "memo"], environment: environment.merging(["PATH": home.path]) { $1 })
    let told = try terminal.read(until: "notDetermined")
    #expect(told.contains("recorder is not installed"), "\(told)")
    #expect(try program.wait() == .exited(0))
  }

  @Test("stores no decision without a terminal")
  func noTerminal() throws {
    let outcome = try Tool.run(
      "setsid", ["--wait", try Products.path("hosting"), "ask", "memo"], environment: environment)
    #expect(outcome.outputText == "asking\nnotDetermined\n", "\(outcome.errorText)")
    #expect(try !home.names().contains("permissions.json"))
  }
}

@Suite("A program that captures without a file", .timeLimit(.minutes(5)))
struct HostedCaptureTests {
  @Test("gets the reason if the device delivers nothing more")
  func stalled() throws {
    let studio = try Studio()
    let held = try studio.holding("later")
    let outcome = try studio.run(
      """
      $recorder permission grant --as hosting > /dev/null
      \(held) '\(try Products.path("hosting"))' listen
      """)
    #expect(outcome.output.contains("stopped delivering audio"), "\(outcome)")
  }
}

@Suite("A program with a closed standard stream", .timeLimit(.minutes(5)))
struct HostedStreamTests {
  @Test("records into no file that has the number of the stream")
  func closed() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      $recorder permission grant --as hosting > /dev/null
      '\(try Products.path("hosting"))' closed "$HOME/a.wav"
      """)
    // A timer of Swift's runtime can get the number first.
    #expect(["/dev/null\n", "anon_inode:[timerfd]\n"].contains(outcome.output), "\(outcome)")
  }
}

@Suite("A program with many recordings and plays of its own", .timeLimit(.minutes(10)))
struct HostingStormTests {
  @Test("leaks no descriptors, threads or memory, and every file is complete")
  func storm() throws {
    let studio = try Studio()
    let count = isThorough ? 200 : 72
    let outcome = try studio.run(
      "$recorder permission grant --as hosting > /dev/null; mkdir takes; export RECORDER_CAPTURE_DEVICE=test:ramp RECORDER_PLAYBACK_DEVICE=test:null; MALLOC_ARENA_MAX=1 '\(try Products.path("hosting"))' storm \(count) \"$HOME/takes\" $recorder",
      limit: .seconds(300))
    let left = Dictionary(
      uniqueKeysWithValues: outcome.output.split(separator: "\n").map { line in
        let words = line.split(separator: " ")
        return (String(words[0]), Int(words[1]) ?? -1)
      })
    for kind in ["descriptors", "threads", "running"] {
      #expect(try #require(left[kind]) <= 0, "\(kind): \(outcome)")
    }
    #expect(left["mistold"] == 0 && left["delegates", default: 0] > count, "\(outcome)")
    // A start whose name another recording has does not wait. With 300 ms for each, the starts took
    // 8.4 s.
    #expect(try #require(left["starting"]) < 6_000, "\(outcome)")
    // Each leaked take would hold a ring. `MALLOC_ARENA_MAX` is 1, because with an arena for each
    // thread the allocator keeps as much memory.
    #expect(try #require(left["kilobytes"]) < 3_000, "\(outcome)")
    let names = try FileManager.default.contentsOfDirectory(atPath: studio.scratch.path("takes"))
    #expect(names.count { $0.hasSuffix(".wav") } > count * 2 / 9)
    let takes = names.filter { !$0.hasSuffix(".json") }
    for (name, frames) in zip(takes, try studio.decoded(takes.map { "takes/\($0)" })) {
      #expect(name.hasSuffix(".wav"), "\(name)")
      // The sidecar lists the frames that a busy machine lost, and those that were replaced with
      // silence. A pause also leaves out frames of the ramp, or begins a new ramp.
      let sidecar = try? String(
        contentsOfFile: studio.scratch.path("takes/\(name).json"), encoding: .utf8)
      let gaps = sidecar?.components(separatedBy: "\"gap\"").count ?? 1
      let jumps = frames.jumps.filter { frames[$0.place] != 0 }
      #expect(!frames.isEmpty && jumps.count <= gaps, "\(name): \(jumps)")
    }
  }
}

@Suite("A program that opens a sound", .timeLimit(.minutes(5)))
struct HostedSoundTests {
  @Test("gets its length, also if the file has thousands of marks")
  func marked() throws {
    let studio = try Studio()
    try studio.run("start -q a.wav && captured 0.2 && $recorder stop -q > said")
    let frames = try studio.frameCounts(["a.wav"])
    let label = String(repeating: "x", count: 250)
    try studio.addMarks(Array(repeating: label, count: 5_000), to: "a.wav")
    let outcome = try studio.run("'\(try Products.path("hosting"))' sound a.wav")
    #expect(outcome.output == "\(frames[0])\n" && frames[0] > 0, "\(outcome)")
  }
}
