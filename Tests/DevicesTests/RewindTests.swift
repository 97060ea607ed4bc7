import Testing

@testable import Devices

@Suite("The rewind of written frames")
struct RewindTests {
  @Test(
    "A stream moves by all of the frames or stays where it was",
    arguments: [
      // The frames by which the device rewinds, whether that is enough, and the new position.
      (480, true, 520), (479, false, 1_000), (0, false, 1_000), (-32, false, 1_000),
    ])
  func whole(moved: Int, isRewound: Bool, position: Int) {
    var current = 1_000
    let rewinds = PCM.Playback.rewinds(
      480,
      by: { _ in
        current -= max(0, moved)
        return moved
      },
      undoingBy: { frames in
        current += Int(frames)
        return Int(frames)
      })
    #expect(rewinds == isRewound && current == position)
  }
}
