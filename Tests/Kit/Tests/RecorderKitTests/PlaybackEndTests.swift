import RecorderKit
import Testing

@Suite("The end of a play", .timeLimit(.minutes(5)))
struct PlaybackEndTests {
  @Test("The end of a former play does not end a later one")
  func former() async throws {
    let sound = try Known.sound(Known.samples(2_400))
    for _ in 0..<20 {
      let player = Player(on: "test:null")
      let playback = try player.playback(of: sound)
      // The device is not open yet, so the first play ends immediately.
      playback.resume()
      playback.stop()
      playback.resume()
      #expect(await playback.waitUntilEnded() == .finished)
      #expect(playback.state == .ended)
      await player.close()
    }
  }
}
