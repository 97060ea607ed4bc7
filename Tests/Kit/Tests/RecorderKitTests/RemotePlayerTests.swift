import Bench
import Foundation
import RecorderKit
import Testing

@Suite("The player that programs share", .serialized, .timeLimit(.minutes(2)))
struct RemotePlayerTests {
  init() throws {
    // The command finds its engine, but this program has no engine next to it, so the command
    // starts the player. Another test may play the same name meanwhile.
    let recorder = (ProcessInfo.processInfo.environment["RECORDER_PROGRAMS"] ?? "") + "/recorder"
    let end = try Bench.Command.run(recorder, ["play", "done", "--device", "test:null"])
    #expect(end.code == 0, "\(end)")
  }

  @Test("It plays sounds by name, and pauses, resumes and stops them")
  func shared() async throws {
    let player = try await Running.player()
    try await player.play("tick", on: "test:null")
    #expect(try await player.sounds.contains { $0.name == "tick" && $0.state == .ended })
    try await player.play("alarm", on: "test:null", repeating: .forever, detached: true)
    #expect(try await player.sounds.contains { $0.name == "alarm" && $0.state == .playing })
    try await player.pause("alarm")
    try await player.setVolume(of: "alarm", to: 0.5)
    let alarm = try #require(try await player.sounds.first { $0.name == "alarm" })
    #expect(alarm.state == .paused && alarm.volume == 0.5 && alarm.device == "test:null")
    try await player.resume("alarm")
    try await player.stop()
    // Other tests play other sounds at the same time.
    let stopped = try await player.sounds.first { $0.name == "alarm" }
    #expect(stopped?.state == .stopped, "\(String(describing: stopped))")
    await #expect(throws: RecorderError.self) {
      try await player.play("no-such-sound", on: "test:null")
    }
  }

  @Test("It is started if it is not running, and continues for the command")
  func started() throws {
    let probe = try Probe()
    #expect(try !probe.recorder("sound", "status").output.contains("click"))
    let end = try probe.run("player")
    #expect(end.output == "sounds [\"click\"]\n", "\(end)")
    #expect(try probe.recorder("sound", "status").output.contains("click"))
  }

  @Test("It knows a file by its absolute path, as the command does")
  func relativePath() throws {
    let probe = try Probe()
    try Tones.write(probe.scratch.file("two.wav"), frames: 480)
    let path = probe.scratch.path("two.wav")
    let end = try probe.run("player", "./two.wav")
    #expect(end.output == "sounds [\"\(path)\"]\n", "\(end)")
    let status = try probe.recorder("sound", "status", "--json")
    #expect(status.output.contains("\"volume\":0.5"), "\(status)")
  }

  @Test("It is started once if two programs need it at the same time")
  func startedOnce() async throws {
    let probe = try Probe()
    // The programs start the command next to them. The player starts only once the second program
    // waits.
    let programs = probe.scratch.file("programs")
    let recorder = URL(filePath: Bench.Command.programs).appending(path: "recorder").path
    try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: false)
    try probe.scratch.write(
      """
      #!/bin/sh
      echo "$1" >> '\(probe.scratch.path("starts"))'
      until [ -e '\(probe.scratch.path("go"))' ]; do sleep 0.02; done
      exec '\(recorder)' "$@"

      """, to: "programs/recorder")
    chmod(probe.scratch.path("programs/recorder"), 0o700)
    let program = probe.scratch.path("programs/apple-probe")
    try FileManager.default.copyItem(atPath: Probe.path, toPath: program)
    func starts() -> String { (try? probe.scratch.text("starts")) ?? "" }
    let first = try probe.start("player", from: program)
    try await eventually { starts() == "player\n" }
    let second = try probe.start("player", from: program)
    let descriptors = "/proc/\(second.identifier)/fd"
    try await eventually {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
      let files = names.compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")
      }
      return starts() != "player\n" || files.contains { $0.hasSuffix("player-start.lock") }
    }
    try probe.scratch.write("", to: "go")
    #expect(first.lines() == ["sounds [\"click\"]"])
    #expect(second.lines() == ["sounds [\"click\"]"])
    #expect(starts() == "player\n")
  }

  @Test("A waiting play fades out when its task is cancelled")
  func cancelled() async throws {
    let player = try await Running.player()
    let task = Task { try await player.play("alarm", on: "test:null", repeating: .forever) }
    @Sendable func isPlaying() async throws -> Bool {
      try await player.sounds.contains { $0.name == "alarm" && $0.state == .playing }
    }
    try await eventually { try await isPlaying() }
    task.cancel()
    try await task.value
    try await eventually { try await !isPlaying() }
  }
}
