import Bench
import Foundation
import RecorderKit
import Testing

@Suite("The first write", .serialized, .timeLimit(.minutes(2)))
struct FirstWriteTests {
  /// Returns the time from a call to the write of the first frame, in milliseconds.
  private func library(_ player: Player, _ sound: Sound) async throws -> Double {
    let begin = ContinuousClock.now
    let playback = try await player.start(sound)
    let time = ContinuousClock.now - begin
    _ = await playback.waitUntilEnded()
    return Double(time.components.attoseconds) / 1e15
  }

  /// Returns the same time for the command, with its player idle and its device prepared.
  private func command(_ recorder: String) throws -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let begin = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    let end = try Bench.Command.run(recorder, ["play", "click", "--json", "-d", "test:null"])
    let result = try JSONSerialization.jsonObject(with: Data(end.output.utf8)) as? [String: Any]
    return (try #require(result?["started"] as? Double) - begin) * 1_000
  }

  @Test("A warm play of the library starts no later than a warm play of the command")
  func warm() async throws {
    let recorder = (ProcessInfo.processInfo.environment["RECORDER_PROGRAMS"] ?? "") + "/recorder"
    let sound = try Sound.named("click")
    let player = Player(on: "test:null")
    _ = try await library(player, sound)
    _ = try command(recorder)
    var ratios: [Double] = []
    var times: [(Double, Double)] = []
    for _ in 0..<11 {
      // Wait until both devices are idle, which neither reports. A device that still plays silence
      // has no room at first.
      try await Task.sleep(for: .milliseconds(400))
      let pair = (try await library(player, sound), try command(recorder))
      times.append(pair)
      ratios.append(pair.0 / pair.1)
    }
    let median = ratios.sorted()[5]
    print("library and command, in ms:", times.map(\.0).sorted()[5], times.map(\.1).sorted()[5])
    #expect(median < 1)
  }
}
