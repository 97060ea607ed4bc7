import Audio
import Testing

@testable import Recording

@Suite("The limits of a take")
struct TakeLimitsTests {
  private let stereo = StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16)

  @Test(
    "leave room for any size that can be typed",
    arguments: [Int64(1) << 40, 1 << 50, 1 << 60, .max])
  func large(bytes: Int64) throws {
    let room = TakeLimits(bytes: bytes)
      .room(after: 10, from: .hz48000, produced: 10, bytes: 40, of: stereo)
    guard case .frames(let frames) = room else { throw Ended() }
    #expect(frames > 1_000_000)
  }

  @Test("end a take that has no space left", arguments: [Int64(40), 43, 1, 0, -1])
  func full(bytes: Int64) {
    let room = TakeLimits(bytes: bytes)
      .room(after: 10, from: .hz48000, produced: 10, bytes: 40, of: stereo)
    guard case .end(.size) = room else {
      Issue.record("there is room left")
      return
    }
  }

  private struct Ended: Error {}
}
