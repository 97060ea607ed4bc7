import Audio
import Glibc
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

  @Test("leave frames in each file, even if its header is larger than the requested size")
  func tiny() async {
    await #expect(processExitsWith: .success) {
      // Without this, a writer that takes no frame would never end.
      alarm(60)
      let bench = try Bench()
      let result = bench.run(
        [.deliver(100), .act { bench.order(.mark("here")) }, .deliver(50)],
        limits: TakeLimits(bytes: 3, split: .every(1_000_000)))
      #expect(result.files.map(\.numbers.count) == [100, 50])
      #expect(result.write == .captureEnded)
    }
  }

  private struct Ended: Error {}
}
